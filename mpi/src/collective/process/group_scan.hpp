// SPDX-License-Identifier: Apache-2.0
// What one worker group of an in-process collective, all of whose members are fibers of one worker, does of
// scans. A rank whose turn it is adds what it gives to the sum of those before it and goes on; one that comes
// before its turn leaves its part to the rank that brings the turn to it. So ranks that come in order never
// wait for each other, and each may be several scans ahead of the next. The lock is for threads that ranks
// have started: the fibers themselves never meet in it. Invariant: the sums of scan n % depth are those of
// scan n until all members have had their turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/spin_lock.hpp"
#include "collective/process/scan_ring.hpp"
#include "datatype/typed_buffer.hpp"
#include "reduction/op.hpp"

namespace lisle::collective {

/// What a rank brings to a scan.
struct scan_part {
    const void *give;  ///< may be the address of `take`
    typed_buffer take; ///< without gaps
    MPI_Count bytes;   ///< of it
    const op *operation;
    bool exclusive;
};

class group_scan {
  public:
    /// @param before,after where the sum of the worker groups before comes from, and where this one's goes;
    /// or null
    group_scan(std::size_t members, scan_ring *before, scan_ring *after);

    /// What has come of a member's part.
    struct outcome {
        bool done;     ///< it has its result, unless
        bool mismatch; ///< ranks before it give another number of bytes
        bool news;     ///< others may wait for what has been done just now
    };
    /// Begins a member's next scan. @param member its number at the worker group
    [[nodiscard]] outcome add(std::size_t member, const scan_part &part);
    /// Looks again whether it can be done. @pre add() has left it undone
    [[nodiscard]] outcome look(std::size_t member);

  private:
    static constexpr std::size_t depth = 8;

    struct round {
        std::uint64_t number = 0; ///< of the scan
        std::size_t next = 0;     ///< whose turn it is
        MPI_Count bytes = 0;      ///< of each part, or ring::misfit
        /// The sum up to the last one that had its turn, and up to the one before: for even and odd members.
        alignas(std::max_align_t) std::byte sums[2][scan_ring::most];
    };
    struct participant {
        std::uint64_t begun = 0;
        bool waits = false; ///< for its turn in the last scan that it has begun
        bool mismatch = false;
        scan_part part;
    };

    /// True if other worker groups let the next member have its turn.
    [[nodiscard]] bool can_go_on(const round &now) const noexcept {
        return (now.next != 0 || before_ == nullptr || before_->posted(now.number)) &&
               (now.next + 1 != members_ || after_ == nullptr || after_->has_room(now.number));
    }
    /// Gives the next member its turn.
    [[gnu::always_inline]] void turn(round &now, participant &whose, const scan_part &part);
    /// Gives those their turn who wait for it.
    void go_on(round &now);

    spin_lock lock_;
    bool news_ = false; ///< of the call that is under way
    scan_ring *before_, *after_;
    op_on operation_; ///< of the last turn
    std::size_t members_;
    std::unique_ptr<participant[]> members_state_;
    std::array<round, depth> rounds_;
};

} // namespace lisle::collective
