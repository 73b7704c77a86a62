// SPDX-License-Identifier: Apache-2.0
// What the ranks compare of collective calls that move no data of the program's between them, where programs
// are checked (LISLE_CHECK): topologies, and accesses to files. All ranks of a call throw, or none does.
#pragma once

#include <span>

#include "communicator/communicator.hpp"

namespace lisle::abi {

/// All ranks give the same topology. @param given how many dimensions or nodes it has, and what describes
/// them; empty: the rank has failed to make it
/// @param name "grid" or "graph"
void compare_topologies(communicator &comm, std::span<const int> given, const char *name);

/// Each rank names its own neighbours: each edge has to be named at both of its ends.
void compare_edges(communicator &comm, std::span<const int> sources, std::span<const int> destinations);

/// All ranks make the same call. @param members those of the call
void compare_calls(communicator &members);

} // namespace lisle::abi
