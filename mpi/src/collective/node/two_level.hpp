// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks in several places (nodes, or processes of one node): the ranks of a place work
// together, and one leader of each place does for all of them what crosses between places. Composed of the
// algorithms for one level. Operands keep the order of ranks where the places are in order.
// [N. Karonis et al.: Exploiting hierarchy in parallel computer networks, 2000]
#pragma once

#include <span>

#include "collective/block_view.hpp"
#include "collective/node/hierarchy.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

void two_level_barrier(schedule &plan, const two_levels &ranks);

// With a root, which leads its place. Blocks are given at the root only; all are equally long.
void two_level_bcast(schedule &plan, const two_levels &ranks, const typed_buffer &buffer);
void two_level_gather(schedule &plan, const two_levels &ranks, const typed_buffer &own,
                      const block_view &blocks);
void two_level_scatter(schedule &plan, const two_levels &ranks, const block_view &blocks,
                       const typed_buffer &own);
/// @pre commutative, or the places are in order; for the next one, too
void two_level_reduce(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive);

void two_level_allreduce(schedule &plan, const two_levels &ranks, const op &operation,
                         const typed_buffer &send, const typed_buffer &receive);
/// @param blocks of any lengths, which all ranks know
void two_level_allgather(schedule &plan, const two_levels &ranks, const typed_buffer &own,
                         const block_view &blocks);
/// @pre the places are in order; for the scans, too
void two_level_reduce_scatter(schedule &plan, const two_levels &ranks, const op &operation,
                              const typed_buffer &send, const typed_buffer &receive,
                              std::span<const MPI_Count> counts);
/// @pre each place is led by its last rank; for the next one, too
void two_level_scan(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                    const typed_buffer &receive);
void two_level_exscan(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive);

} // namespace lisle::collective
