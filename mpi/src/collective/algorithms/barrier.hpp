// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Barrier.
#pragma once

#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// A message from each rank to rank 0, which awaits them.
void signal_root(schedule &plan, const team &team);

/// Dissemination: log2(size) rounds, in round k each rank signals the one 2^k further and waits for the
/// one 2^k before. [D. Hensgen, R. Finkel, U. Manber: Two algorithms for barrier synchronization, 1988]
void barrier_dissemination(schedule &plan, const team &team);

/// Everyone signals rank 0, which then signals everyone. For comparison.
void barrier_linear(schedule &plan, const team &team);

/// Between the groups of an inter-communicator: each group gathers at its rank 0, these two meet, and
/// each releases its group. Nobody leaves before all of the other group have entered.
void barrier_between_groups(schedule &plan, const team &own, const team &other);

} // namespace lisle::collective
