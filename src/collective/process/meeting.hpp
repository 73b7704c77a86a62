// SPDX-License-Identifier: Apache-2.0
// Blocking collectives among ranks of one process that take turns: fibers, and threads that share cores. Each
// takes its seat at a table, which is that of its worker, and shows its buffers there. Whoever comes last at
// a table acts for all who sit there: it moves what they take, from this table and then, when all are full,
// from the others. Reductions are the work of the last one of all. So a collective costs each rank one
// switch, what ranks of one core would do one after the other is done at a stretch, and workers hand to each
// other only the lines of seats and data. Threads sit alone. For them waiting is dearer than work: of two,
// the one that comes later moves the data both ways, so each waits but once.
// In a scan data go one way. Where the members of each table follow those of the one before, each rank adds
// to what those before it have given and goes on, without waiting for those that come later (scan_table.hpp).
// Invariant: what lies in a seat is not written by its owner until the round ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "collective/node/block_view.hpp"
#include "collective/node/board.hpp"
#include "collective/check.hpp"
#include "reduction/op.hpp"
#include "collective/process/relay.hpp"
#include "collective/process/scan_table.hpp"
#include "collective/selection/selection.hpp"
#include "collective/schedule/steps.hpp"
#include "communicator/communicator.hpp"
#include "base/spin_lock.hpp"

namespace lisle::collective {

class meeting {
  public:
    /// The meeting of a communicator, made by whichever member asks first; null if they are not all
    /// ranks of this process that take turns. The same for all members.
    [[nodiscard]] static meeting *of(const communicator &comm) {
        if (!comm.process_companion.sought) [[unlikely]] {
            seek(comm);
        }
        return static_cast<meeting *>(comm.process_companion.kept.get());
    }

    /// @param tables the number of each member's table
    explicit meeting(const std::vector<int> &tables);

    /// Shows a buffer and returns when all have, and `take` holds what the reduction of all gives.
    /// @param operation null: there are no data @return MPI_SUCCESS, or MPI_ERR_TRUNCATE if sizes differ
    [[nodiscard]] int reduce(const communicator &comm, const card &shown, const op *operation,
                             result_place place);
    /// A scan: returns when the members before this one have given their parts, and this one has its result.
    /// Throws MPI_ERR_TRUNCATE if their sizes differ. @pre scans_in_turn(), part.operation->check()
    void scan(communicator &comm, const scan_part &part) {
        communicator::count_one(comm.collectives);
        table &own = table_of(comm.rank());
        scan_table *const found = own.scans.load(std::memory_order_acquire);
        scan_table &here = found != nullptr ? *found : prepare_scans(own);
        const auto member = static_cast<std::size_t>(comm.rank() - own.first);
        const auto now = here.add(member, part);
        if (!now.done || now.misfit || now.news) [[unlikely]] {
            end_scan(comm, here, member, part.bytes, now);
        }
    }
    /// True if members can do a scan of such data one after the other. The same for all.
    [[nodiscard]] bool scans_in_turn(const datatype &type, MPI_Count bytes) const noexcept {
        return in_order_ && bytes <= relay::most && type.contiguous();
    }
    /// Returns when all have come and every rank that takes something has what others give it.
    /// @param give,take what is for, or from, each member; no blocks: nothing
    /// @param root the rank without which nothing moves, or board::everyone
    /// @return MPI_PROC_NULL, or a member that gives another number of bytes than this rank takes
    [[nodiscard]] int exchange(const communicator &comm, const block_view &give, const block_view &take,
                               int root);

  private:
    static void seek(const communicator &comm);

    struct alignas(64) seat {
        block_view give, take;
        std::uint64_t round = 0; ///< in which these were shown, plus one
        int table = 0;
        int soon = 0; ///< a member of the table that comes soon after this one, more often than not
        /// Whose data do not fit; orders nothing, the end of the round does.
        std::atomic<int> misfit{MPI_PROC_NULL};
    };
    struct alignas(64) table {
        std::vector<int> members;
        int first = 0; ///< of them
        /// Of these in this round. Each publishes what it shows and sees what those before have shown.
        std::atomic<int> come{0};
        /// Null before the first one. Publishes what it points to.
        std::atomic<scan_table *> scans{nullptr};
    };

    [[nodiscard]] seat &seat_of(int member) noexcept { return seats_[static_cast<std::size_t>(member)]; }
    [[nodiscard]] table &table_of(int member) noexcept {
        return tables_[static_cast<std::size_t>(seat_of(member).table)];
    }
    [[nodiscard]] bool all_sit_alone() const noexcept { return tables_.size() == cards_.size(); }
    /// For each line of a seat.
    void for_lines(int member, auto use) noexcept;
    /// True for the one that comes last at its table.
    [[nodiscard]] bool fills(table &own) noexcept;
    /// Counts a table; true for the last one.
    [[nodiscard]] bool is_last(std::atomic<int> &counter) noexcept;
    [[nodiscard, gnu::cold]] scan_table &prepare_scans(table &own);
    /// What a scan takes besides adding a part.
    void end_scan(const communicator &comm, scan_table &where, std::size_t member, MPI_Count bytes,
                  scan_table::outcome now);
    /// Moves what is for the members of a full table, and returns when all others have done so, too.
    void serve(const communicator &comm, const table &own, std::uint64_t round, int root);
    /// The same, for who sits alone as all do.
    void serve_alone(const communicator &comm, std::uint64_t round, int root);
    void serve_from(const table &givers, const table &takers, std::uint64_t round, int root);
    void move(int giver, int taker, std::uint64_t round);
    /// For a table that is served.
    void end_or_wait(const communicator &comm, const table &own, std::uint64_t round);
    void wait_for_end(const communicator &comm, std::uint64_t round, bool before_others);
    void end(const communicator &comm, std::uint64_t round);
    static void wake(const communicator &comm);

    std::vector<table> tables_;
    std::unique_ptr<seat[]> seats_;
    std::vector<card> cards_;
    bool in_order_; ///< the members of each table follow those of the one before, and are several
    std::once_flag scans_made_;
    std::vector<std::unique_ptr<scan_table>> scan_tables_;
    std::unique_ptr<relay[]> relays_; ///< from each table to the next, for scans
    int error_ = 0; ///< of the last reduction; the next round ends only when all have come back
    // Those who sit alone, in the order in which they have come.
    alignas(64) spin_lock lock_;
    int come_alone_ = 0;
    std::vector<int> order_;
    // Of the tables: how many are full, and how many are served. As `come`.
    alignas(64) std::atomic<int> full_{0};
    std::atomic<int> served_{0};
    /// Rounds in which all tables have been full, and rounds that have ended. The stores publish what was
    /// shown, and the results; they pair with the loads of whoever waits, sequentially consistent because of
    /// the sleeping (shared_memory::nudge).
    alignas(64) std::atomic<std::uint64_t> all_full_{0};
    std::atomic<std::uint64_t> round_{0};
};

/// True if a setting forces such a call to be done in this way.
[[nodiscard, gnu::cold]] bool is_forced_to_meet(const communicator &comm, operation what, MPI_Count bytes);

/// The meeting of a communicator if its ranks have one, and it is how they do such a call.
/// @param bytes of the vector of a reduction
[[nodiscard]] inline meeting *meeting_for(const communicator &comm, operation what, MPI_Count bytes) {
    meeting *const shared = meeting::of(comm);
    if (shared == nullptr || checking()) {
        return nullptr;
    }
    const first_choices *const first = usual(what);
    const bool meets = first != nullptr ? bytes <= first->meeting : is_forced_to_meet(comm, what, bytes);
    return meets ? shared : nullptr;
}

/// MPI_Barrier, and reductions with a predefined operation, in this way, once it is chosen. The arguments
/// have been checked.
/// @param what allreduce, scan or exscan @param shown what is given and taken
void meet(communicator &comm, meeting &shared);
void meet(communicator &comm, meeting &shared, operation what, const card &shown, const op &reduction);
/// What moves data in this way, once it is chosen; arguments as exchange().
void meet(communicator &comm, const block_view &give, const block_view &take, int root);

} // namespace lisle::collective
