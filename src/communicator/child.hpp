// SPDX-License-Identifier: Apache-2.0
// What all ways to create a communicator have in common.
#pragma once

#include <span>
#include <vector>

#include "communicator/communicator.hpp"

namespace lisle {

/// A communicator that inherits what new ones inherit from their parent.
[[nodiscard]] communicator_ref make_child(communicator &parent, std::uint64_t context, const group &local,
                                          const group *remote, int self);

/// Throws if a peer's proposal cannot be a context.
void check_context(std::uint64_t context);

/// The group of some members of another one. @param ranks in `parent`, without repetition
[[nodiscard]] group_ref subgroup(const group &parent, std::span<const int> ranks);

} // namespace lisle
