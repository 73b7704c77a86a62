// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a communicator are and what reaches them: every question that collectives ask the
// layers below about it. All members of a communicator get the same answers.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/shared_memory.hpp"
#include "world/group.hpp"

namespace lisle {
class job;
}
namespace lisle::fabric {
class packet_carrier;
}

namespace lisle::collective {

/// The node of a rank of the job, counted from 0.
[[nodiscard]] int node_of(job &here, int rank);
[[nodiscard]] int process_of(job &here, int rank);

/// The memory that all members share, as the routes to them say; null: they are on several nodes, or a route
/// offers none.
[[nodiscard]] fabric::shared_memory *memory_shared_by(job &here, const group &members);
/// True if the members can use each other's buffers by their addresses, as the routes to them say.
[[nodiscard]] bool in_one_address_space(job &here, const group &members);
/// True if the members are fibers of this process, or threads of it that share cores.
[[nodiscard]] bool take_turns_here(job &here, const group &members);
/// The number of each member's worker thread, counted in the order of their first members; threads that are
/// ranks count as a worker each. @pre take_turns_here(here, members)
[[nodiscard]] std::vector<int> workers_of(job &here, const group &members);
[[nodiscard]] bool on_several_nodes(job &here, const group &members);
/// The place of each member: its node if the members are on several, otherwise its process.
[[nodiscard]] std::vector<int> places_of(job &here, const group &members);

/// The fabric over which all members are reached; null: there are several.
[[nodiscard]] const fabric::packet_carrier *common_carrier(job &here, const group &members);

/// The names under which ranks of a node find the memory that they share. The first numbers from a
/// communicator's context on are its message spaces (communicator/context.hpp); these are nobody's.
struct area_keys {
    std::uint64_t area, pages;
};
/// Of the area of a communicator that is on one node.
[[nodiscard]] constexpr area_keys keys_of(std::uint64_t context) noexcept {
    return {context, context + 9};
}
/// Of the area of those of its ranks that are on the calling rank's node.
[[nodiscard]] constexpr area_keys keys_on_node(std::uint64_t context) noexcept {
    return {context + 10, context + 11};
}

} // namespace lisle::collective
