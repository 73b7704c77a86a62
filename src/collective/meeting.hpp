// SPDX-License-Identifier: Apache-2.0
// Blocking collectives among ranks of one process that take turns: fibers, and threads that share cores. Each
// takes its seat and shows its buffers; the last one that comes does the work of all and ends the round. So a
// collective costs each rank one switch and the copy of its data, whatever the number of ranks: work that
// ranks of one core repeat is not done at the same time but one after the other.
// Invariant: what lies in the seats is read by the last of a round and written by nobody until it ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "collective/board.hpp"
#include "collective/op.hpp"
#include "runtime/spin_lock.hpp"

namespace lisle::collective {

class meeting {
  public:
    /// The meeting of a communicator, made by whichever member asks first; null if they are not all
    /// ranks of this process that take turns. The same for all members.
    [[nodiscard]] static meeting *of(const communicator &comm);

    explicit meeting(int members);

    /// Shows a buffer and returns when all have, and `take` holds the reduction of what all gave.
    /// @param operation null: there are no data @return MPI_SUCCESS, or MPI_ERR_TRUNCATE if sizes differ
    [[nodiscard]] int meet(const communicator &comm, const card &shown, const op *operation);

  private:
    void end_round(const op *operation);

    spin_lock lock_; ///< for all below, also against threads that ranks have started
    std::vector<card> seats_;
    int come_ = 0;
    int error_ = 0; ///< of the last round; the next one ends only when all have come back
    /// Rounds that have ended. The store publishes the results and pairs with the load of whoever waits;
    /// both sequentially consistent because of the sleeping (fabric::nudge).
    std::atomic<std::uint64_t> round_{0};
};

/// MPI_Barrier and MPI_Allreduce in this way. False: nothing has happened, take the general way.
/// The arguments have been checked, but for the operation's type.
[[nodiscard]] bool meet(communicator &comm);
[[nodiscard]] bool meet(communicator &comm, const typed_buffer &give, const typed_buffer &take,
                        const op &operation);

} // namespace lisle::collective
