// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Gather(v) and MPI_Scatter(v): one block of data for each rank, collected at or spread
// from a root. `blocks[i]` is rank i's, of whatever type and place where nothing else is said.
#pragma once

#include "collective/block_view.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// Every rank sends its block to the root, which receives all at once. `own` is the calling rank's
/// contribution (its block itself if it stands there already); `blocks` matter at the root only.
void gather_linear(schedule &plan, const team &team, const typed_buffer &own, const block_view &blocks,
                   int root);

/// Binomial tree: inner nodes collect the blocks of their subtree and pass them on in one message.
/// [Thakur, Rabenseifner, Gropp 2005, section 4] @param blocks of one array
void gather_binomial(schedule &plan, const team &team, const typed_buffer &own, const block_view &blocks,
                     int root);

/// The reverse of gather_linear; `own` is where the calling rank's block goes.
void scatter_linear(schedule &plan, const team &team, const block_view &blocks, const typed_buffer &own,
                    int root);

/// The reverse of gather_binomial.
void scatter_binomial(schedule &plan, const team &team, const block_view &blocks, const typed_buffer &own,
                      int root);

/// Between the groups of an inter-communicator: `root` is MPI_ROOT at the root, which receives a block
/// from each rank of the other group, MPI_PROC_NULL beside it, and the root's rank in the other group.
void gather_between_groups(schedule &plan, const team &own_group, const team &other, const typed_buffer &own,
                           const block_view &blocks, int root);
/// The reverse.
void scatter_between_groups(schedule &plan, const team &own_group, const team &other,
                            const block_view &blocks, const typed_buffer &own, int root);

} // namespace lisle::collective
