// SPDX-License-Identifier: Apache-2.0
// The data of one access in the form that they have in the file: the program's buffer itself, or converted
// bytes where the view's data representation is another than memory's.
#pragma once

#include <memory>
#include <vector>

#include "file/view.hpp"

namespace lisle::file {

/// Whether a call reads or writes.
enum class direction { reading, writing };

class payload {
  public:
    /// Data of a write are converted here, those of a read by finish_read(). Throws as bytes_in_file().
    payload(direction way, std::shared_ptr<const view> through, const typed_buffer &data);
    payload(payload &&) = default;
    payload &operator=(payload &&) = delete;

    [[nodiscard]] const view &through() const noexcept { return *through_; }
    [[nodiscard]] const typed_buffer &in_file() const noexcept { return in_file_; }
    /// The program's buffer has what was read. @param bytes of in_file() that were. Returns the bytes of the
    /// buffer's data that they are.
    [[nodiscard]] MPI_Count finish_read(MPI_Count bytes) const;
    /// The same of a write, which leaves nothing to do.
    [[nodiscard]] MPI_Count finish_write() const noexcept { return in_memory_.bytes(); }

  private:
    std::shared_ptr<const view> through_;
    type_ref type_; ///< kept, since the program may free it before the access ends
    typed_buffer in_memory_, in_file_;
    std::vector<std::byte> converted_;
};

/// Bytes that these data have in the file. Throws MPI_ERR_TYPE unless they are whole etypes of the view.
[[nodiscard]] MPI_Count bytes_in_file(const view &through, const typed_buffer &data);

} // namespace lisle::file
