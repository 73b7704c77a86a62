// SPDX-License-Identifier: Apache-2.0
// How two groups of ranks that may belong to several jobs get to know each other: all of a group tell its
// leader who they are, the leaders tell each other, and then each process knows where the others can be
// reached. [MPI-5.0 7.6.2, 11.8, 11.9]
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "communicator/communicator.hpp"
#include "communicator/leaders_link.hpp"

namespace lisle {

/// Makes an inter-communicator of the caller's group and one that the leader has a link to. Collective over
/// both groups: all their members have it, or the call fails at all of them.
/// @param local an intra-communicator @param leader its rank
/// @param link at the leader
[[nodiscard]] communicator_ref introduce(communicator &local, int leader, leaders_link *link);
/// The same for leaders that have no link yet.
/// @param meet called at the leader only; if it throws, so does the call at all of the leader's group
[[nodiscard]] communicator_ref introduce(communicator &local, int leader,
                                         const std::function<std::unique_ptr<leaders_link>()> &meet);

/// The names of a group's members as words, for other processes.
[[nodiscard]] std::vector<std::uint64_t> names_of(const group &members);

} // namespace lisle
