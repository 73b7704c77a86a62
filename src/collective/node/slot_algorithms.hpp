// SPDX-License-Identifier: Apache-2.0
// Collectives through the slots and pages of the collective area: a rank posts what it has, and each rank
// that wants it copies it from there. One cache line travels from each rank to each that looks; no rank waits
// for one that needs nothing of it.
#pragma once

#include "collective/node/block_view.hpp"
#include "collective/node/immediate_steps.hpp"
#include "collective/schedule/schedule.hpp"

namespace lisle::collective {

template <class Plan> void slot_barrier(Plan &plan, const team &team);
template <class Plan> void slot_bcast(Plan &plan, const team &team, const typed_buffer &buffer, int root);
/// @param blocks of all ranks; at the root only
template <class Plan>
void slot_gather(Plan &plan, const team &team, const typed_buffer &own, const block_view &blocks, int root);
/// @param blocks as above, all of the same size, which is that of `own`
template <class Plan>
void slot_scatter(Plan &plan, const team &team, const block_view &blocks, const typed_buffer &own, int root);
template <class Plan>
void slot_allgather(Plan &plan, const team &team, const typed_buffer &own, const block_view &blocks);
/// @param send,receive blocks of one size
template <class Plan>
void slot_alltoall(Plan &plan, const team &team, const block_view &send, const block_view &receive);
/// For all reductions: `send` and `receive` may be the same buffer.
template <class Plan> void slot_reduce(Plan &plan, const team &team, const op &operation,
                                       const typed_buffer &send, const typed_buffer &receive, int root);
template <class Plan> void slot_allreduce(Plan &plan, const team &team, const op &operation,
                                          const typed_buffer &send, const typed_buffer &receive);
/// @param before bytes of the vector before this rank's piece
template <class Plan> void slot_reduce_scatter(Plan &plan, const team &team, const op &operation,
                                               const typed_buffer &send, const typed_buffer &receive,
                                               MPI_Count before);
template <class Plan> void slot_scan(Plan &plan, const team &team, const op &operation,
                                     const typed_buffer &send, const typed_buffer &receive);
template <class Plan> void slot_exscan(Plan &plan, const team &team, const op &operation,
                                       const typed_buffer &send, const typed_buffer &receive);

} // namespace lisle::collective
