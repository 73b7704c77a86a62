// SPDX-License-Identifier: Apache-2.0
// Collectives through the slots and pages of the collective area: a rank posts what it has, and each rank
// that wants it copies it from there. One cache line travels from each rank to each that looks; no rank waits
// for one that needs nothing of it.
#pragma once

#include <span>

#include "collective/block_view.hpp"
#include "collective/steps/immediate_steps.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

struct slot_barrier {
    template <class Plan> static void write(Plan &plan, const team &team);
};
struct slot_bcast {
    template <class Plan>
    static void write(Plan &plan, const team &team, const typed_buffer &buffer, int root);
};
/// @param blocks of all ranks; at the root only
struct slot_gather {
    template <class Plan> static void write(Plan &plan, const team &team, const typed_buffer &own,
                                            const block_view &blocks, int root);
};
/// @param blocks as above, all of the same size, which is that of `own`
struct slot_scatter {
    template <class Plan> static void write(Plan &plan, const team &team, const block_view &blocks,
                                            const typed_buffer &own, int root);
};
struct slot_allgather {
    template <class Plan>
    static void write(Plan &plan, const team &team, const typed_buffer &own, const block_view &blocks);
};
/// @param send,receive blocks of one size
struct slot_alltoall {
    template <class Plan>
    static void write(Plan &plan, const team &team, const block_view &send, const block_view &receive);
};
/// For all reductions: `send` and `receive` may be the same buffer.
struct slot_reduce {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive, int root);
};
struct slot_allreduce {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
};
/// @param counts elements of each rank's piece
struct slot_reduce_scatter {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive,
                                            std::span<const MPI_Count> counts);
};
struct slot_scan {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
};
struct slot_exscan {
    template <class Plan> static void write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive);
};

} // namespace lisle::collective
