// SPDX-License-Identifier: Apache-2.0
// Short blocking calls of two ranks through the slots of their area. They post what the algorithms of
// slot_algorithms.hpp post, and where ranks of larger teams do not know each other's sizes the one block that
// the other rank gets. But nothing is planned, and there are no loops over ranks: half of the instructions,
// which are most of a short call's time.
#pragma once

#include "collective/call.hpp"

namespace lisle::collective {

/// The most bytes that two ranks exchange as a pair. Of longer data the instructions that it saves are a
/// small part.
inline constexpr MPI_Count most_in_pair = 1024;

/// Does a call of any operation but reduce_scatter. Throws if the ranks' sizes differ.
/// @param bytes the most that one rank has for the other @pre algorithm::pair is chosen for the call
template <operation What> void run_as_pair(communicator &comm, MPI_Count bytes, const operands &data);

} // namespace lisle::collective
