// SPDX-License-Identifier: Apache-2.0
// What all ways to create a communicator have in common.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "communicator/communicator.hpp"
#include "communicator/context.hpp"
#include "communicator/shared_attempt.hpp"
#include "world/other_jobs.hpp"

namespace lisle {

/// Throws if the caller knows that a member has failed, or that the communicator was revoked: for calls in
/// which it may need nobody.
void refuse_lost_members(const communicator &parent);

/// Throws if a peer's proposal cannot be a context.
void check_context(std::uint64_t context);

/// A communicator that inherits what new ones inherit from their parent. Throws if the parent's ranks are
/// threads: their contexts differ, so each way to make such children has to agree on them.
[[nodiscard]] communicator_ref make_child(communicator &parent, std::uint64_t context, const group &local,
                                          const group *remote, int self);
/// The same of any parent, for a caller that knows what to do about threads.
[[nodiscard]] communicator_ref make_relative(communicator &parent, std::uint64_t context, const group &local,
                                             const group *remote, int self);

/// A child whose members make it together: all have it, or the call fails at all of them. The first member
/// proposes the context. @param make makes the caller's, with context 0
template <class Make> [[nodiscard]] communicator_ref make_together(const party &members, Make make) {
    shared_attempt own;
    communicator_ref made;
    std::uint64_t proposal = 0;
    own.attempt([&] {
        made = make();
        proposal = members.self() == 0 ? next_context() : 0;
    });
    const std::uint64_t context = own.settle(members, proposal);
    check_context(context);
    made->settle_context(context);
    return made;
}

/// The same by all ranks of a parent, some of which may get none, after what they have attempted before.
/// @param make makes the caller's, with context 0, or nothing
template <class Make> [[nodiscard]] communicator_ref make_together(const communicator &parent, int tag,
                                                                   shared_attempt &own, Make make) {
    communicator_ref made;
    std::uint64_t proposal = 0;
    own.attempt([&] {
        made = make();
        proposal = parent.rank() == 0 ? next_context() : 0;
    });
    const std::uint64_t context = own.settle(parent, tag, proposal);
    check_context(context);
    if (made) {
        made->settle_context(context);
    }
    return made;
}

/// A communicator with the members of an intra-communicator, for an object that they make together: a window,
/// a file. Called by all of them.
[[nodiscard]] communicator_ref make_private_copy(communicator &parent);

/// The longest list of a context and the names of members: each name is two words.
inline constexpr std::size_t most_words_of_names = 1 + 2 * other_jobs::most;

/// The remote group of an inter-communicator from its members' names (names_of()). Throws if they are not
/// known here, repeated, or local ones.
[[nodiscard]] group_ref remote_group_of(std::span<const std::uint64_t> names, const group &local);

/// The group of some members of another one. @param ranks in `parent`, without repetition
[[nodiscard]] group_ref subgroup(const group &parent, std::span<const int> ranks);

} // namespace lisle
