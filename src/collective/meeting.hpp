// SPDX-License-Identifier: Apache-2.0
// Blocking collectives among ranks of one process that take turns: fibers, and threads that share cores. Each
// takes its seat and shows its buffers. Reductions are the work of the last one that comes. Of two ranks that
// exchange data, the one that comes later moves them, both ways. So a collective costs each rank one switch
// and the copy of its data, whatever the number of ranks: work that ranks of one core repeat is not done at
// the same time but one after the other. Invariant: what lies in a seat is not written by its owner until the
// round ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "collective/block_view.hpp"
#include "collective/board.hpp"
#include "collective/op.hpp"
#include "collective/selection.hpp"
#include "collective/steps.hpp"
#include "communicator/communicator.hpp"
#include "runtime/spin_lock.hpp"

namespace lisle::collective {

class meeting {
  public:
    /// The meeting of a communicator, made by whichever member asks first; null if they are not all
    /// ranks of this process that take turns. The same for all members.
    [[nodiscard]] static meeting *of(const communicator &comm) {
        if (!comm.meeting_sought) [[unlikely]] {
            seek(comm);
        }
        return comm.shared_meeting.get();
    }

    explicit meeting(int members);

    /// Shows a buffer and returns when all have, and `take` holds what the reduction of all gives.
    /// @param operation null: there are no data @return MPI_SUCCESS, or MPI_ERR_TRUNCATE if sizes differ
    [[nodiscard]] int reduce(const communicator &comm, const card &shown, const op *operation,
                             result_place place);
    /// Returns when all have come and every rank that takes something has what others give it.
    /// @param give,take what is for, or from, each member; no blocks: nothing
    /// @param root the rank without which nothing moves, or board::everyone
    /// @return MPI_PROC_NULL, or a member that gives another number of bytes than this rank takes
    [[nodiscard]] int exchange(const communicator &comm, const block_view &give, const block_view &take,
                               int root);

  private:
    static void seek(const communicator &comm);

    struct seat {
        block_view give, take;
        std::uint64_t round = 0; ///< in which these were shown, plus one
        /// Whose data do not fit; orders nothing, the end of the round does.
        std::atomic<int> misfit{MPI_PROC_NULL};
    };

    [[nodiscard]] seat &seat_of(int member) noexcept { return seats_[static_cast<std::size_t>(member)]; }
    void move(int giver, int taker);
    void wait_for_end(const communicator &comm, std::uint64_t round);
    void end(const communicator &comm, std::uint64_t round);

    spin_lock lock_; ///< for what follows until all have come, also against threads that ranks have started
    int come_ = 0;
    std::vector<int> order_; ///< who came when
    std::vector<card> cards_;
    std::unique_ptr<seat[]> seats_;
    int error_ = 0; ///< of the last reduction; the next round ends only when all have come back
    /// Members that have moved what is theirs to move. Each publishes that and sees that of those before.
    std::atomic<int> done_{0};
    /// Rounds that have ended. The store publishes the results and pairs with the load of whoever waits;
    /// both sequentially consistent because of the sleeping (fabric::nudge).
    std::atomic<std::uint64_t> round_{0};
};

/// MPI_Barrier and reductions in this way. False: nothing has happened, take the general way. The arguments
/// have been checked, but for the operation's type.
/// @param what allreduce, scan or exscan
[[nodiscard]] bool meet(communicator &comm);
[[nodiscard]] bool meet(communicator &comm, operation what, const typed_buffer &give,
                        const typed_buffer &take, const op &reduction);
/// What moves data in this way, once it is chosen; arguments as exchange().
void meet(communicator &comm, const block_view &give, const block_view &take, int root);

} // namespace lisle::collective
