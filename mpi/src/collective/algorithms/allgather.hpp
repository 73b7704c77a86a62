// SPDX-License-Identifier: Apache-2.0
// Algorithms of MPI_Allgather(v). `own` is the calling rank's contribution, which may be its block of the
// result itself. Where nothing else is said, blocks may be of any type, length and place.
#pragma once

#include "collective/block_view.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// Ring: in size - 1 rounds each rank passes the block on that it got in the round before.
/// [E. Chan et al.: Collective communication: theory, practice, and experience, 2007, "bucket"]
void allgather_ring(schedule &plan, const team &team, const typed_buffer &own, const block_view &blocks);

/// Recursive doubling: in log2(size) rounds pairs exchange all that they have.
/// [Thakur, Rabenseifner, Gropp 2005, section 4.1] @pre size is a power of two; the
/// blocks are of one array
void allgather_recursive_doubling(schedule &plan, const team &team, const typed_buffer &own,
                                  const block_view &blocks);

/// Bruck: log2(size) rounds for any size, through a rotated copy. @pre the blocks are of one array
/// [J. Bruck et al.: Efficient algorithms for all-to-all communications, 1997]
void allgather_bruck(schedule &plan, const team &team, const typed_buffer &own, const block_view &blocks);

} // namespace lisle::collective
