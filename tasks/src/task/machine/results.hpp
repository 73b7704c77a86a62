// SPDX-License-Identifier: Apache-2.0
// What other ranks owe reaches the records that wait for it; what a rank owes that has died is done again.
#pragma once

#include "task/machine/rank_parts.hpp"

namespace lisle::tasks {

/// What a rank owes that gets a task to do.
awaited result_of(const task &given, int rank);

/// Puts what another rank has computed where it is awaited. The rank's own thread.
void put_result(rank_parts &own, const awaited &expected, value result);

/// Does a task here that a rank has taken along, or lets what waits for it fail, if it is none that may be
/// done twice. The rank's own thread. @pre the rank that owes it has died
void make_good(rank_parts &own, const awaited &owed);

} // namespace lisle::tasks
