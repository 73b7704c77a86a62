// SPDX-License-Identifier: Apache-2.0
// A file of whole fields, one after the other, each level after level in the order of its grid's points,
// after a text that says what they are. Any number of ranks write and read it, each its own points.
#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

#include <lisle/communicator.hpp>
#include <lisle/couple/decomposition.hpp>
#include <lisle/couple/exchange.hpp>

namespace lisle::couple::detail {

/// All calls are collective over the ranks that have opened it. What fails is kept for wrong(), and the calls
/// after that do nothing, so that no rank leaves the others waiting.
class restart_file {
  public:
    /// A file that takes the place of another of this name only by keep().
    [[nodiscard]] static restart_file create(MPI_Comm ranks, const std::string &path,
                                             const std::string &header);
    [[nodiscard]] static restart_file open(MPI_Comm ranks, const std::string &path);
    restart_file(restart_file &&other) noexcept;
    restart_file &operator=(restart_file &&) = delete;
    ~restart_file();

    [[nodiscard]] const std::string &header() const noexcept { return header_; }
    /// The next field. A point that several ranks have, has the value of one of them.
    void write(const decomposition &points, const field_place &field);
    /// The next field. Places without a point keep what they have.
    void read(const decomposition &points, const field_place &field);
    /// What has been written is all, and is on the disk; or what has been read.
    void close();
    /// The new file gets its name.
    void keep();
    /// A sentence of the caller's first failure, or nothing.
    [[nodiscard]] const std::string &wrong() const noexcept { return wrong_; }

  private:
    restart_file(MPI_Comm ranks, std::string path, std::string opened_path, int mode);
    void write_header(const std::string &header);
    void read_header();
    void check(int code, const char *what);
    void fail(const std::string &sentence);
    /// Shows the caller the stretches of its points. @return bytes of them
    void move(const decomposition &points, const field_place &field, bool writes);

    communicator ranks_;
    std::string path_, opened_path_, header_, wrong_;
    MPI_File handle_ = MPI_FILE_NULL;
    std::int64_t at_ = 0; ///< where the next field begins
    bool is_new_;
};

} // namespace lisle::couple::detail
