// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks of one process: they show each other their buffers and move the data straight from
// one to another, with no copy between. Where there is more to do than one rank can, all do a part: of a
// reduction each rank computes a slice from everyone's input and puts it where it belongs. A rank goes on
// when nobody uses its buffers any more.
#pragma once

#include <span>

#include "collective/schedule.hpp"

namespace lisle::collective {

void direct_bcast(schedule &plan, const team &team, const typed_buffer &buffer, int root);
/// @param blocks of all ranks; at the root only
void direct_gather(schedule &plan, const team &team, const typed_buffer &own,
                   std::span<const typed_buffer> blocks, int root);
/// @param blocks as above
void direct_scatter(schedule &plan, const team &team, std::span<const typed_buffer> blocks,
                    const typed_buffer &own, int root);
void direct_allgather(schedule &plan, const team &team, const typed_buffer &own,
                      std::span<const typed_buffer> blocks);
void direct_alltoall(schedule &plan, const team &team, std::span<const typed_buffer> send,
                     std::span<const typed_buffer> receive);
/// For all reductions: `send` and `receive` may be the same buffer.
void direct_reduce(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive, int root);
void direct_allreduce(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive);
/// @param first the element of the vector where this rank's piece begins
void direct_reduce_scatter(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                           const typed_buffer &receive, MPI_Count first);
void direct_scan(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                 const typed_buffer &receive);
void direct_exscan(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive);

} // namespace lisle::collective
