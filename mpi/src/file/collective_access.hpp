// SPDX-License-Identifier: Apache-2.0
// Data access of all ranks of a file together [MPI-5.0 14.4], in two phases (after Rosario, Bordawekar and
// Choudhary): the ranks exchange data such that some of them, the aggregators, read and write long stretches
// of the file. See docs/files.md.
#pragma once

#include <vector>

#include "file/access.hpp"
#include "file/agreement.hpp"
#include "file/block_exchange.hpp"
#include "file/byte_room.hpp"
#include "file/domains.hpp"
#include "file/round_message.hpp"
#include "protocol/progress/procedure.hpp"

namespace lisle::file {

/// One rank's part of one collective access. The caller makes sure that the file's collective accesses run
/// one after the other.
class collective_access {
  public:
    /// @param helped the file's helper reads and writes; else the calling rank does so
    collective_access(open_file &on, direction way, MPI_Count position, const typed_buffer &data,
                      bool helped);
    collective_access(const collective_access &) = delete;
    collective_access &operator=(const collective_access &) = delete;

    [[nodiscard]] bool may_go_on() const { return stages_.may_go_on(); }
    /// Advances as far as possible without waiting. True when the access is complete. Throws the error of an
    /// exchange.
    [[nodiscard]] bool advance() { return stages_.advance(); }
    /// Bytes of the buffer's data that were read or written. Throws the error of the access.
    /// @pre advance() has returned true
    [[nodiscard]] MPI_Count result() const;

  private:
    /// A rank's summary of its access, from which all choose the algorithm.
    struct outline {
        MPI_Offset begin = 0, end = 0; ///< equal: no data
        bool scattered = false;        ///< several runs
        bool long_runs = false;        ///< that are worth a call of the kernel each
        bool alone = false;            ///< it can only be made by the rank itself
    };

    /// All stages, one after the other.
    [[nodiscard]] protocol::procedure access();

    [[nodiscard]] outline own_outline() const;
    [[nodiscard]] bool go_together(const std::vector<outline> &outlines) const;
    [[nodiscard]] domains divide(const std::vector<outline> &outlines) const;
    [[nodiscard]] protocol::request *begin_alone();
    /// The part of the access in this part of the file.
    [[nodiscard]] data_part part_within(const file_run &window) const;

    // Of one round.
    /// Writes what the aggregators are asked for, and at a write the data.
    void write_messages(MPI_Count round);
    void make_room_for_messages(const file_run &window);
    /// Reads or writes for all ranks what lies in the aggregator's window.
    [[nodiscard]] protocol::request *begin_serving(const file_run &window);
    void serve_writes(const std::vector<round_message> &messages);
    void serve_reads(const std::vector<round_message> &messages);
    void make_room_for_answers();
    void take_answers();

    /// Reads or writes the file: in the call, or on the helper, and then returns the operation to await.
    template <class Work> [[nodiscard]] protocol::request *at_disk(Work work);
    [[nodiscard]] passage way_here() const noexcept;
    /// The error of a rank that has failed, unless the calling one has failed itself.
    void note_failure_of(int rank, int code);

    open_file &on_;
    const direction way_;
    const payload data_;
    const hints how_;
    const MPI_Count position_, total_;
    const bool helped_;

    outline own_;
    domains parts_;
    std::vector<data_part> asked_; ///< by aggregator, in this round
    block_exchange exchange_;
    byte_room disk_; ///< an aggregator's, in this round

    failure failed_;
    MPI_Count moved_ = 0; ///< bytes of the data in the file
    protocol::procedure stages_;
};

/// Blocking: returns when the rank's part is done. Returns the bytes of the buffer's data.
[[nodiscard]] MPI_Count access_all(open_file &on, direction way, MPI_Count position,
                                   const typed_buffer &data);
/// The same at the shared file pointer, in the order of ranks.
[[nodiscard]] MPI_Count access_ordered(open_file &on, direction way, const typed_buffer &data);
/// The caller owns the request.
[[nodiscard]] protocol::request *start_access_all(open_file &on, direction way, MPI_Count position,
                                                  const typed_buffer &data);

} // namespace lisle::file
