// SPDX-License-Identifier: Apache-2.0
// What one table of a meeting, all of whose members are fibers of one worker, does of scans. A rank whose
// turn it is adds what it gives to the sum of those before it and goes on; one that comes before its turn
// leaves its part to whoever brings the turn to it. So ranks that come in order never wait for each other,
// and each may be several scans ahead of the next. The lock is for threads that ranks have started: the
// fibers themselves never meet in it.
// Invariant: the sums of scan n % depth are those of scan n until all members have had their turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "reduction/op.hpp"
#include "collective/process/relay.hpp"
#include "datatype/typed_buffer.hpp"
#include "base/spin_lock.hpp"

namespace lisle::collective {

/// What a rank brings to a scan.
struct scan_part {
    const void *give;  ///< may be the address of `take`
    typed_buffer take; ///< without gaps
    MPI_Count bytes;   ///< of it
    const op *operation;
    bool exclusive;
};

class scan_table {
  public:
    /// @param before,after where the sum of the tables before comes from, and where this one's goes; or null
    scan_table(std::size_t members, relay *before, relay *after);

    /// What has come of a member's part.
    struct outcome {
        bool done;   ///< it has its result, unless
        bool misfit; ///< ranks before it give another number of bytes
        bool news;   ///< others may wait for what has been done just now
    };
    /// Begins a member's next scan. @param member its number at the table
    [[nodiscard]] outcome add(std::size_t member, const scan_part &part);
    /// Looks again whether it can be done. @pre add() has left it undone
    [[nodiscard]] outcome look(std::size_t member);

  private:
    static constexpr std::size_t depth = 8;

    struct round {
        std::uint64_t number = 0; ///< of the scan
        std::size_t next = 0;     ///< whose turn it is
        MPI_Count bytes = 0;      ///< of each part, or relay::misfit
        /// The sum up to the last one that had its turn, and up to the one before: for even and odd members.
        alignas(std::max_align_t) std::byte sums[2][relay::most];
    };
    struct seat {
        std::uint64_t begun = 0;
        bool waits = false; ///< for its turn in the last scan that it has begun
        bool misfit = false;
        scan_part part;
    };

    /// True if other tables let the next member have its turn.
    [[nodiscard]] bool can_go_on(const round &now) const noexcept {
        return (now.next != 0 || before_ == nullptr || before_->posted(now.number)) &&
               (now.next + 1 != members_ || after_ == nullptr || after_->has_room(now.number));
    }
    /// Gives the next member its turn.
    [[gnu::always_inline]] void turn(round &now, seat &whose, const scan_part &part);
    /// Gives those their turn who wait for it.
    void go_on(round &now);

    spin_lock lock_;
    bool news_ = false; ///< of the call that is under way
    relay *before_, *after_;
    op_on operation_; ///< of the last turn
    std::size_t members_;
    std::unique_ptr<seat[]> seats_;
    std::array<round, depth> rounds_;
};

} // namespace lisle::collective
