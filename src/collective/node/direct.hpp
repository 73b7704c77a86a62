// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks of one process: they show each other their buffers and move the data straight from
// one to another, with no copy between. Where there is more to do than one rank can, all do a part: of a
// reduction each rank computes a slice from everyone's input and puts it where it belongs. A rank goes on
// when nobody uses its buffers any more.
#pragma once

#include "collective/node/at_once.hpp"
#include "collective/node/block_view.hpp"
#include "collective/schedule/schedule.hpp"

namespace lisle::collective {

template <class Plan> void direct_bcast(Plan &plan, const team &team, const typed_buffer &buffer, int root);
/// @param blocks of all ranks; at the root only
template <class Plan>
void direct_gather(Plan &plan, const team &team, const typed_buffer &own, const block_view &blocks, int root);
/// @param blocks as above
template <class Plan> void direct_scatter(Plan &plan, const team &team, const block_view &blocks,
                                          const typed_buffer &own, int root);
template <class Plan>
void direct_allgather(Plan &plan, const team &team, const typed_buffer &own, const block_view &blocks);
template <class Plan>
void direct_alltoall(Plan &plan, const team &team, const block_view &send, const block_view &receive);
/// For all reductions: `send` and `receive` may be the same buffer.
template <class Plan> void direct_reduce(Plan &plan, const team &team, const op &operation,
                                         const typed_buffer &send, const typed_buffer &receive, int root);
template <class Plan> void direct_allreduce(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
/// @param first the element of the vector where this rank's piece begins
template <class Plan> void direct_reduce_scatter(Plan &plan, const team &team, const op &operation,
                                                 const typed_buffer &send, const typed_buffer &receive,
                                                 MPI_Count first);
template <class Plan> void direct_scan(Plan &plan, const team &team, const op &operation,
                                       const typed_buffer &send, const typed_buffer &receive);
template <class Plan> void direct_exscan(Plan &plan, const team &team, const op &operation,
                                         const typed_buffer &send, const typed_buffer &receive);

} // namespace lisle::collective
