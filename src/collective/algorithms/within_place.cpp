// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/within_place.hpp"

#include "collective/algorithms/bcast.hpp"
#include "collective/algorithms/gather.hpp"
#include "collective/algorithms/reduce.hpp"
#include "collective/algorithms/scan.hpp"
#include "collective/node/single_copy.hpp"
#include "collective/node/slot_algorithms.hpp"
#include "collective/schedule/planning.hpp"

namespace lisle::collective {

void bcast_within(schedule &plan, const team &ranks, const typed_buffer &buffer, int root) {
    if (ranks.size == 1) {
        return;
    }
    const MPI_Count bytes = buffer.bytes();
    switch (select_within(ranks, collective_operation::bcast, of_blocks(bytes, bytes, bytes))) {
    case algorithm::shared_memory:
        slot_bcast(plan, ranks, buffer, root);
        break;
    case algorithm::single_copy:
        single_copy_bcast(plan, ranks, buffer, root);
        break;
    default:
        bcast_binomial(plan, ranks, buffer, root);
        plan.await_all();
    }
}

void gather_within(schedule &plan, const team &ranks, const typed_buffer &own, const block_view &blocks,
                   MPI_Count most, int root) {
    if (ranks.size == 1) {
        plan.copy(own, blocks[0]);
        return;
    }
    switch (select_within(ranks, collective_operation::gather, of_blocks(most, most, most))) {
    case algorithm::shared_memory:
        slot_gather(plan, ranks, own, blocks, root);
        break;
    case algorithm::single_copy:
        single_copy_gather(plan, ranks, own, blocks, root);
        break;
    default:
        gather_linear(plan, ranks, own, blocks, root);
        plan.await_all();
    }
}

void scatter_within(schedule &plan, const team &ranks, const block_view &blocks, const typed_buffer &own,
                    MPI_Count most, bool equal, int root) {
    if (ranks.size == 1) {
        plan.copy(blocks[0], own);
        return;
    }
    const algorithm use = equal ? select_within(ranks, collective_operation::scatter,
                                                of_blocks(most, (ranks.size - 1) * most, most))
                                : select_within(ranks, collective_operation::scatterv, of_blocks(0, 0, 0));
    switch (use) {
    case algorithm::shared_memory:
        slot_scatter(plan, ranks, blocks, own, root);
        break;
    case algorithm::single_copy:
        single_copy_scatter(plan, ranks, blocks, own, root);
        break;
    default:
        scatter_linear(plan, ranks, blocks, own, root);
        plan.await_all();
    }
}

void reduce_within(schedule &plan, const team &ranks, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive, int root) {
    if (ranks.size == 1) {
        plan.copy(send, receive);
        return;
    }
    switch (select_within(ranks, collective_operation::reduce, of_vector(operation, send))) {
    case algorithm::shared_memory:
        slot_reduce(plan, ranks, operation, send, receive, root);
        break;
    case algorithm::single_copy:
        single_copy_reduce(plan, ranks, operation, send, receive, root);
        break;
    default:
        reduce_binomial(plan, ranks, operation, send, receive, root);
        plan.await_all();
    }
}

void scan_within(schedule &plan, const team &ranks, const op &operation, const typed_buffer &send,
                 const typed_buffer &receive) {
    if (ranks.size == 1) {
        plan.copy(send, receive);
        return;
    }
    switch (select_within(ranks, collective_operation::scan, of_vector(operation, send))) {
    case algorithm::shared_memory:
        slot_scan(plan, ranks, operation, send, receive);
        break;
    case algorithm::single_copy:
        single_copy_scan(plan, ranks, operation, send, receive);
        break;
    default:
        scan_doubling(plan, ranks, operation, send, receive);
        plan.await_all();
    }
}

void exscan_within(schedule &plan, const team &ranks, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive) {
    if (ranks.size == 1) {
        return;
    }
    switch (select_within(ranks, collective_operation::exscan, of_vector(operation, send))) {
    case algorithm::shared_memory:
        slot_exscan(plan, ranks, operation, send, receive);
        break;
    case algorithm::single_copy:
        single_copy_exscan(plan, ranks, operation, send, receive);
        break;
    default:
        exscan_doubling(plan, ranks, operation, send, receive);
        plan.await_all();
    }
}

} // namespace lisle::collective
