// SPDX-License-Identifier: Apache-2.0
// What the ranks of one place do among themselves as a part of a collective: through their collective area or
// straight between their buffers where they share memory, in messages otherwise. Their leader is the root.
// When a rank goes on, its own part is complete.
#pragma once

#include "collective/node/hierarchy.hpp"

namespace lisle::collective {

void bcast_within(schedule &plan, const two_levels &ranks, const typed_buffer &buffer);
/// @param blocks at the root only @param most the bytes of the longest block, which all know
void gather_within(schedule &plan, const two_levels &ranks, const typed_buffer &own, const block_view &blocks,
                   MPI_Count most);
/// @param equal all blocks have `most` bytes
void scatter_within(schedule &plan, const two_levels &ranks, const block_view &blocks,
                    const typed_buffer &own, MPI_Count most, bool equal);
/// Keeps the order of ranks, as the scans do. `send` and `receive` may be the same buffer.
void reduce_within(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive);
void scan_within(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                 const typed_buffer &receive);
void exscan_within(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive);

} // namespace lisle::collective
