// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks on a mesh, in the stages of mesh_stages.hpp. Long vectors are cut to pieces in the
// first stages, between near ranks, and put together again in the same ones; the stages between, with the
// long ways, move one piece. Results do not depend on anything but the places of the ranks and the sizes. [M.
// Barnett et al.: Global combine algorithms for 2-D meshes with wormhole routing, 1995]
#pragma once

#include <span>

#include "collective/algorithms/mesh_stages.hpp"
#include "collective/block_view.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

void mesh_bcast(schedule &plan, const team &team, const mesh_stages &stages, const typed_buffer &buffer,
                int root);
/// `send` and `receive` (which matters at the root only) may be the same buffer. @pre commutative; for the
/// next ones, too
void mesh_reduce(schedule &plan, const team &team, const mesh_stages &stages, const op &operation,
                 const typed_buffer &send, const typed_buffer &receive, int root);
void mesh_allreduce(schedule &plan, const team &team, const mesh_stages &stages, const op &operation,
                    const typed_buffer &send, const typed_buffer &receive);
/// @param counts of elements for each rank @param send the whole vector
void mesh_reduce_scatter(schedule &plan, const team &team, const mesh_stages &stages, const op &operation,
                         const typed_buffer &send, const typed_buffer &receive,
                         std::span<const MPI_Count> counts);
/// @param own the calling rank's contribution @param blocks of any lengths, which all ranks know
void mesh_allgather(schedule &plan, const team &team, const mesh_stages &stages, const typed_buffer &own,
                    const block_view &blocks);

} // namespace lisle::collective
