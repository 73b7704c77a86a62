// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks that can use each other's buffers: they expose buffer descriptors and move the data
// straight from one buffer to another. Where there is more work than one rank can do, all do a part: in a
// reduction each rank computes a slice from all inputs and writes it where it belongs. A rank goes on when no
// rank uses its buffers any more.
#pragma once

#include <span>

#include "collective/block_view.hpp"
#include "collective/steps/immediate_steps.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

struct single_copy_bcast {
    template <class Plan>
    static void write(Plan &plan, const team &team, const typed_buffer &buffer, int root);
};
/// @param blocks of all ranks; at the root only
struct single_copy_gather {
    template <class Plan> static void write(Plan &plan, const team &team, const typed_buffer &own,
                                            const block_view &blocks, int root);
};
/// @param blocks as above
struct single_copy_scatter {
    template <class Plan> static void write(Plan &plan, const team &team, const block_view &blocks,
                                            const typed_buffer &own, int root);
};
struct single_copy_allgather {
    template <class Plan>
    static void write(Plan &plan, const team &team, const typed_buffer &own, const block_view &blocks);
};
struct single_copy_alltoall {
    template <class Plan>
    static void write(Plan &plan, const team &team, const block_view &send, const block_view &receive);
};
/// For all reductions: `send` and `receive` may be the same buffer.
struct single_copy_reduce {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive, int root);
};
struct single_copy_allreduce {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
};
/// @param counts elements of each rank's piece
struct single_copy_reduce_scatter {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive,
                                            std::span<const MPI_Count> counts);
};
struct single_copy_scan {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
};
struct single_copy_exscan {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
};

} // namespace lisle::collective
