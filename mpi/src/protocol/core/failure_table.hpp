// SPDX-License-Identifier: Apache-2.0
// What an engine knows of peers that have failed and of communicators that were revoked. What follows from it
// for operations is in failures.hpp. [User-Level Failure Mitigation, section 2 of the proposal]
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace lisle::protocol {

/// Contexts of one communicator that lie in a row, from a multiple of this number on.
inline constexpr std::uint64_t contexts_in_a_row = 16;
/// The one among them that works in spite of failures and revocation, by its distance from the first.
inline constexpr std::uint64_t recovery_context = 9;
/// Those whose messages are calls of all members, which fail if one member has: from the first to the last.
/// Not those of agreements by tag (5, 6): these are calls of some members, and fail if one of those has
/// (communicator/agreement.hpp).
inline constexpr std::uint64_t first_common_context = 1;
inline constexpr std::uint64_t last_common_context = 4;

/// The first context of the communicator that this one belongs to.
[[nodiscard]] constexpr std::uint64_t base_of(std::uint64_t context) noexcept {
    return context - context % contexts_in_a_row;
}

/// Under the lock of its engine, but for any().
class failure_table {
  public:
    struct communicator {
        std::vector<int> members;
        std::vector<int> failed; ///< of them, in the order in which this rank has noticed it
        std::size_t acknowledged = 0;
        bool revoked = false;
        std::size_t told = 0; ///< members, the first ones, that this rank has told of the revocation
    };

    /// False as long as nothing has failed and nothing was revoked: then the others need not be asked.
    /// Relaxed: who starts an operation before it sees the change is found when the change is made.
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
    /// The error with which an operation with this context ends, or MPI_SUCCESS. @param peer in the job; -1:
    /// any source
    [[nodiscard]] int error_of(std::uint64_t context, int peer) const noexcept;
    /// True once a fabric has said so: then all is there that the peer had sent.
    [[nodiscard]] bool has_failed(int peer) const noexcept;

    /// Begins to watch the communicator with this first context. @return true if it was revoked before
    [[nodiscard]] bool watch(std::uint64_t base, std::vector<int> members);
    void forget(std::uint64_t base) noexcept { watched_.erase(base); }
    /// Null: it is not watched.
    [[nodiscard]] communicator *find(std::uint64_t base) noexcept {
        const auto found = watched_.find(base);
        return found != watched_.end() ? &found->second : nullptr;
    }

    /// From a fabric. This and the next one change nothing if they throw, for lack of memory.
    void note_failure(int peer);
    /// From other members, before a fabric says so: the peer counts as failed in its communicators, but what
    /// it has sent can still come. @return false if that was known
    [[nodiscard]] bool note_reported_failure(int peer);
    /// Changes nothing if it throws, which it does not for a communicator that is watched.
    /// @return true if that is new and this rank is a member: all others are to be told
    [[nodiscard]] bool note_revocation(std::uint64_t base);
    /// Calls `tell(base, member)` for those members of revoked communicators that have not been told. If one
    /// throws, the next call goes on with that one.
    template <class Tell> void tell_revocations(Tell tell) {
        for (auto &[base, one] : watched_) {
            for (; one.revoked && one.told < one.members.size(); ++one.told) {
                tell(base, one.members[one.told]);
            }
        }
    }

  private:
    std::atomic<bool> any_{false};
    std::vector<int> failed_; ///< peers, in the order in which this rank has noticed it
    std::vector<int> silent_; ///< of them, those from which nothing comes any more
    std::unordered_map<std::uint64_t, communicator> watched_;
    /// Revoked by others before this rank has made its part of the communicator.
    std::set<std::uint64_t> revoked_early_;
};

} // namespace lisle::protocol
