// SPDX-License-Identifier: Apache-2.0
// What follows when peers fail and communicators are revoked (core/failure_table.hpp): the operations that
// this concerns end with an error, at once; all others go on. Failed are peers that a fabric says are dead or
// cut off for good. User-level failure mitigation (communicator/recovery.hpp) stands on it. [User-Level
// Failure Mitigation, section 2 of the proposal]
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/core/engine_core.hpp"
#include "protocol/core/failure_table.hpp"
#include "protocol/progress/lookout.hpp"

namespace lisle::protocol {

/// Functions without _locked in their names take the engine's lock.
class failures final : private lookout {
  public:
    failures(engine_core &core, failure_table &known) noexcept : core_{core}, known_{known} {}

    /// False where ranks share one node's memory and there are no others: there nobody fails alone.
    [[nodiscard]] bool can_watch() const noexcept;

    // ---- for communicators ----

    /// Begins to watch the communicator with this first context. @param members numbers in the job, of both
    /// groups. Does nothing unless can_watch().
    void watch(std::uint64_t base, std::vector<int> members);
    void forget(std::uint64_t base) noexcept;
    /// Its members that have failed, as numbers in the job, in the order in which this rank has noticed it.
    [[nodiscard]] std::vector<int> failed_members(std::uint64_t base);
    /// Those of failed_members() from which nothing comes any more: this rank's own fabric has said so, not
    /// only another rank.
    [[nodiscard]] std::vector<int> silent_members(std::uint64_t base);
    /// From now on the first so many of them do not keep receives from any source from waiting.
    /// @return how many the caller has acknowledged in all
    std::size_t acknowledge(std::uint64_t base, std::size_t count);
    [[nodiscard]] std::size_t acknowledged(std::uint64_t base) { return acknowledge(base, 0); }
    /// Ends all operations on the communicator, here and, through messages, at all members.
    void revoke(std::uint64_t base);
    [[nodiscard]] bool revoked(std::uint64_t base);
    [[nodiscard]] bool failed(int peer);
    /// Other members have found that this one has failed.
    void hear_of_failure(int peer);

    // ---- for operations ----

    /// As failure_table::any().
    [[nodiscard]] bool any() const noexcept { return known_.any(); }
    [[nodiscard]] int error_of(std::uint64_t context, int peer);
    /// The same for what has no peer, as a message to MPI_PROC_NULL or a barrier of one rank:
    /// MPIX_ERR_REVOKED or MPI_SUCCESS.
    [[nodiscard]] int error_without_peer(std::uint64_t context) {
        return any() && revoked(base_of(context)) ? MPIX_ERR_REVOKED : MPI_SUCCESS;
    }
    /// Throws that error.
    void refuse_revoked(std::uint64_t context);

    /// From the fabric, which tells it again if this throws for lack of memory.
    void peer_failed_locked(int peer);
    /// Likewise. Throws for communicators only of which this rank has not made its part yet.
    void revoke_locked(std::uint64_t base);

  private:
    /// Ends what cannot be completed any more, and tells others of revocations. What there is no memory for
    /// is done later.
    void act_locked() noexcept;
    /// The same. If it throws, it goes on where it was the next time.
    void try_to_act_locked();
    void end_operations_locked();
    void tell_revocations_locked();
    bool look_locked(engine &home, bool &any) noexcept override;

    engine_core &core_;
    failure_table &known_;
    bool is_unfinished_ = false; ///< the mover asks
};

/// Throws what an operation failed with. @param error MPIX_ERR_REVOKED or MPIX_ERR_PROC_FAILED @param peer
/// its number in the job; -1: any
[[noreturn, gnu::cold]] void throw_failure(int error, int peer);

} // namespace lisle::protocol
