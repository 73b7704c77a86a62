// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks that share memory, for data that fit on the board: who has something posts it, who
// wants it takes it from there. One transfer of a cache line from each rank to each that looks; nobody
// waits for those who need nothing of it.
#pragma once

#include <span>

#include "collective/schedule.hpp"

namespace lisle::collective {

void board_barrier(schedule &plan, const team &team);
void board_bcast(schedule &plan, const team &team, const typed_buffer &buffer, int root);
/// @param blocks of all ranks; at the root only
void board_gather(schedule &plan, const team &team, const typed_buffer &own,
                  std::span<const typed_buffer> blocks, int root);
/// @param blocks as above, all of the same size, which is that of `own`
void board_scatter(schedule &plan, const team &team, std::span<const typed_buffer> blocks,
                   const typed_buffer &own, int root);
void board_allgather(schedule &plan, const team &team, const typed_buffer &own,
                     std::span<const typed_buffer> blocks);
/// @param send,receive blocks of one size
void board_alltoall(schedule &plan, const team &team, std::span<const typed_buffer> send,
                    std::span<const typed_buffer> receive);
/// For all reductions: `send` and `receive` may be the same buffer.
void board_reduce(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                  const typed_buffer &receive, int root);
void board_allreduce(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                     const typed_buffer &receive);
/// @param before bytes of the vector before this rank's piece
void board_reduce_scatter(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                          const typed_buffer &receive, MPI_Count before);
void board_scan(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                const typed_buffer &receive);
void board_exscan(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                  const typed_buffer &receive);

} // namespace lisle::collective
