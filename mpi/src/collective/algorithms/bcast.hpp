// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Bcast.
#pragma once

#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// A chain from the root on, through which the data pass in segments: for long messages, in which all
/// links work at once. [E. Chan et al.: Collective communication: theory, practice, and experience, 2007]
void bcast_pipelined(schedule &plan, const team &team, const typed_buffer &buffer, int root);

/// The root scatters the data down a binomial tree, and a ring brings them together everywhere.
/// [M. Barnett et al.: Interprocessor collective communication library (InterCom), 1994]
void bcast_scatter_allgather(schedule &plan, const team &team, const typed_buffer &buffer, int root);

/// A binomial tree, the largest subtree first. [Thakur, Rabenseifner, Gropp 2005, section 4.2]
void bcast_binomial(schedule &plan, const team &team, const typed_buffer &buffer, int root);

/// The root sends to everyone. For comparison.
void bcast_linear(schedule &plan, const team &team, const typed_buffer &buffer, int root);

/// From `root` of one group of an inter-communicator to all of the other group. In the root's group
/// `root` is MPI_ROOT at the root and MPI_PROC_NULL elsewhere.
void bcast_between_groups(schedule &plan, const team &own, const team &other, const typed_buffer &buffer,
                          int root);

} // namespace lisle::collective
