// SPDX-License-Identifier: Apache-2.0
// What an engine knows of peers that have failed and of communicators that were revoked, and what becomes of
// the operations that this concerns: they end with an error, at once; all others go on. Failed are peers that
// a fabric says are dead or cut off for good. User-level failure mitigation (communicator/recovery.hpp)
// stands on it. [User-Level Failure Mitigation, section 2 of the proposal]
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "protocol/active_messages.hpp"
#include "protocol/request.hpp"

namespace lisle::protocol {

class send_operation;

/// Contexts of one communicator that lie in a row, from a multiple of this number on.
inline constexpr std::uint64_t contexts_in_a_row = 16;
/// The one among them that works in spite of failures and revocation, by its distance from the first.
inline constexpr std::uint64_t recovery_context = 9;
/// Those whose messages are calls of all members, which fail if one member has: from the first to the last.
inline constexpr std::uint64_t first_common_context = 1;
inline constexpr std::uint64_t last_common_context = 6;

class failures {
  public:
    explicit failures(engine &home) noexcept : home_{home} {}

    /// False where ranks share one node's memory and there are no others: there nobody fails alone.
    [[nodiscard]] bool can_watch() const noexcept;

    // ---- for communicators; all take the engine's lock ----

    /// Begins to watch the communicator with this first context. @param members numbers in the job, of both
    /// groups. Does nothing unless can_watch().
    void watch(std::uint64_t base, std::vector<int> members);
    void forget(std::uint64_t base) noexcept;
    /// Its members that have failed, as numbers in the job, in the order in which this rank has noticed it.
    [[nodiscard]] std::vector<int> failed_members(std::uint64_t base);
    /// From now on the first so many of them do not keep receives from any source from waiting.
    /// @return how many the caller has acknowledged in all
    std::size_t acknowledge(std::uint64_t base, std::size_t count);
    [[nodiscard]] std::size_t acknowledged(std::uint64_t base);
    /// Ends all operations on the communicator, here and, through messages, at all members.
    void revoke(std::uint64_t base);
    [[nodiscard]] bool revoked(std::uint64_t base);
    [[nodiscard]] bool failed(int peer);

    // ---- for operations ----

    /// False as long as nothing has failed and nothing was revoked: then the next need not be asked.
    /// Relaxed: who starts an operation before it sees the change is found when the change is made.
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
    /// The error with which an operation with this context ends, or MPI_SUCCESS. @param peer in the job; -1:
    /// any source
    [[nodiscard]] int error_of(std::uint64_t context, int peer);
    /// The same for what has no peer, as a message to MPI_PROC_NULL or a barrier of one rank:
    /// MPIX_ERR_REVOKED or MPI_SUCCESS.
    [[nodiscard]] int error_without_peer(std::uint64_t context) {
        return any() ? error_if_revoked(context) : MPI_SUCCESS;
    }
    /// Throws that error.
    void refuse_revoked(std::uint64_t context);
    /// error_of() with the engine's lock held.
    [[nodiscard]] int error_locked(std::uint64_t context, int peer) const noexcept;
    [[nodiscard]] bool failed_locked(int peer) const noexcept;
    void fail_locked(request &failed, int error);
    /// From the fabric.
    void peer_failed_locked(int peer);

  private:
    struct watched {
        std::vector<int> members;
        std::vector<int> failed; ///< of them
        std::size_t acknowledged = 0;
        bool revoked = false;
    };
    [[nodiscard]] int error_if_revoked(std::uint64_t context);
    static void arrived_revocation(engine &home, const arrival &packet);
    static const packet_kind_of_module revocation;
    void revoke_locked(std::uint64_t base);
    /// Tells all members.
    void spread_locked(std::uint64_t base, const watched &communicator);
    [[nodiscard]] bool is_recalled_locked(send_operation &send);
    /// Ends what cannot be completed any more.
    void end_operations_locked();

    engine &home_;
    std::atomic<bool> any_{false};
    // Under the engine's lock.
    std::vector<int> failed_; ///< peers
    std::unordered_map<std::uint64_t, watched> watched_;
    /// Revoked by others before this rank has made its part of the communicator.
    std::set<std::uint64_t> revoked_early_;
};

/// Throws what an operation failed with. @param error MPIX_ERR_REVOKED or MPIX_ERR_PROC_FAILED @param peer
/// its number in the job
[[noreturn, gnu::cold]] void throw_failure(int error, int peer);

} // namespace lisle::protocol
