// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks that can use each other's buffers: they expose buffer descriptors and move the data
// straight from one buffer to another. Where there is more work than one rank can do, all do a part: in a
// reduction each rank computes a slice from all inputs and writes it where it belongs. A rank goes on when no
// rank uses its buffers any more.
#pragma once

#include "collective/node/block_view.hpp"
#include "collective/node/immediate_steps.hpp"
#include "collective/schedule/schedule.hpp"

namespace lisle::collective {

template <class Plan>
void single_copy_bcast(Plan &plan, const team &team, const typed_buffer &buffer, int root);
/// @param blocks of all ranks; at the root only
template <class Plan> void single_copy_gather(Plan &plan, const team &team, const typed_buffer &own,
                                              const block_view &blocks, int root);
/// @param blocks as above
template <class Plan> void single_copy_scatter(Plan &plan, const team &team, const block_view &blocks,
                                               const typed_buffer &own, int root);
template <class Plan>
void single_copy_allgather(Plan &plan, const team &team, const typed_buffer &own, const block_view &blocks);
template <class Plan>
void single_copy_alltoall(Plan &plan, const team &team, const block_view &send, const block_view &receive);
/// For all reductions: `send` and `receive` may be the same buffer.
template <class Plan> void single_copy_reduce(Plan &plan, const team &team, const op &operation,
                                              const typed_buffer &send, const typed_buffer &receive,
                                              int root);
template <class Plan> void single_copy_allreduce(Plan &plan, const team &team, const op &operation,
                                                 const typed_buffer &send, const typed_buffer &receive);
/// @param first the element of the vector where this rank's piece begins
template <class Plan> void single_copy_reduce_scatter(Plan &plan, const team &team, const op &operation,
                                                      const typed_buffer &send, const typed_buffer &receive,
                                                      MPI_Count first);
template <class Plan> void single_copy_scan(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
template <class Plan> void single_copy_exscan(Plan &plan, const team &team, const op &operation,
                                              const typed_buffer &send, const typed_buffer &receive);

} // namespace lisle::collective
