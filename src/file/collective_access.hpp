// SPDX-License-Identifier: Apache-2.0
// Data access of all ranks of a file together [MPI-5.0 14.4], in two phases (after Rosario, Bordawekar and
// Choudhary): the ranks exchange data such that some of them, the aggregators, read and write long stretches
// of the file. See docs/files.md.
#pragma once

#include <optional>
#include <vector>

#include "file/access.hpp"
#include "file/agreement.hpp"
#include "file/byte_room.hpp"
#include "file/domains.hpp"
#include "file/round_message.hpp"
#include "file/stages.hpp"

namespace lisle::file {

/// One rank's part of one collective access. The caller sees to it that the file's collective accesses follow
/// each other.
class collective_access final : public stages {
  public:
    /// @param helped the file's helper reads and writes; else the calling rank does so
    collective_access(open_file &on, direction way, MPI_Count position, const typed_buffer &data,
                      bool helped);
    ~collective_access() override;

    /// Bytes of the buffer's data that were read or written. Throws what the access ended with.
    /// @pre advance() has returned true
    [[nodiscard]] MPI_Count result() const;

  private:
    class disk_work;
    /// What all ranks tell about their accesses before they choose how to go on.
    struct outline {
        MPI_Offset begin = 0, end = 0; ///< equal: no data
        bool scattered = false;        ///< several runs
        bool long_runs = false;        ///< that are worth a call of the kernel each
        bool alone = false;            ///< it can only be made by the rank itself
    };
    /// Goes before the data that an aggregator has read.
    struct answer_head {
        MPI_Count bytes; ///< of the data that the file has: all, or it ends there
        MPI_Count error;
    };

    [[nodiscard]] outline own_outline() const;
    [[nodiscard]] bool go_together() const;
    [[nodiscard]] passage way_here() const noexcept;
    [[nodiscard]] bool aggregates() const noexcept { return own_ >= 0; }
    /// What of the access lies in this part of the file.
    [[nodiscard]] data_part part_within(const file_run &window) const;

    // The stages.
    void choose();
    void access_alone();
    void begin_round();
    void exchange_messages();
    void read_or_write();
    void send_answers();
    void take_answers();
    void end_round();
    void agree_on_errors();

    void serve_writes(const std::vector<round_message> &messages);
    void serve_reads(const std::vector<round_message> &messages);
    /// Does something with the disk, here or on the helper, and goes on with the next stage.
    void at_disk(std::function<void()> work, stage next);
    /// Begins to exchange blocks of bytes with all ranks.
    void exchange_blocks(stage next);

    open_file &on_;
    const direction way_;
    const payload data_;
    const hints how_;
    const MPI_Count position_, total_;
    const bool helped_;

    std::vector<outline> outlines_; ///< by rank
    domains parts_;
    int own_ = -1; ///< of the aggregators, the calling rank; -1: it is none
    MPI_Count round_ = 0;
    std::vector<data_part> asked_;        ///< by aggregator, in this round
    std::vector<byte_room> sent_, taken_; ///< by rank
    byte_room disk_;                      ///< an aggregator's, in this round
    std::vector<typed_buffer> sent_blocks_, taken_blocks_;
    std::vector<MPI_Count> sent_sizes_, taken_sizes_;
    std::vector<int> codes_;

    failure failed_;
    MPI_Count moved_ = 0; ///< bytes of the data in the file
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
