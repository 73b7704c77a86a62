// SPDX-License-Identifier: Apache-2.0
#include "collective/node/within_place.hpp"

namespace lisle::collective {

namespace {

/// A reduction whose result the only rank of a place has already, but for a copy.
void reduce_or_copy(schedule &plan, const two_levels &ranks, collective_operation what, const op &operation,
                    const typed_buffer &send, const typed_buffer &receive) {
    if (ranks.within().size == 1) {
        plan.copy(send, receive);
        return;
    }
    ranks.write_within(plan, what, of_vector(operation, send),
                       {.send = &send, .receive = &receive, .reduction = &operation, .root = ranks.lead()});
}

} // namespace

void bcast_within(schedule &plan, const two_levels &ranks, const typed_buffer &buffer) {
    if (ranks.within().size > 1) {
        const MPI_Count bytes = buffer.bytes();
        ranks.write_within(plan, operation::bcast, of_blocks(bytes, bytes),
                           {.receive = &buffer, .root = ranks.lead()});
    }
}

void gather_within(schedule &plan, const two_levels &ranks, const typed_buffer &own, const block_view &blocks,
                   MPI_Count most) {
    if (ranks.within().size == 1) {
        plan.copy(own, blocks[0]);
        return;
    }
    ranks.write_within(plan, operation::gather, {.bytes = most, .posted = most, .of_array = false},
                       {.send = &own, .take = &blocks, .root = ranks.lead()});
}

void scatter_within(schedule &plan, const two_levels &ranks, const block_view &blocks,
                    const typed_buffer &own, MPI_Count most, bool equal) {
    const int size = ranks.within().size;
    if (size == 1) {
        plan.copy(blocks[0], own);
        return;
    }
    const operands data{.receive = &own, .give = &blocks, .root = ranks.lead()};
    if (equal) {
        ranks.write_within(plan, operation::scatter,
                           {.bytes = most, .posted = (size - 1) * most, .of_array = false}, data);
    } else {
        ranks.write_within(plan, operation::scatterv, {}, data);
    }
}

void reduce_within(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive) {
    reduce_or_copy(plan, ranks, collective_operation::reduce, operation, send, receive);
}

void scan_within(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                 const typed_buffer &receive) {
    reduce_or_copy(plan, ranks, collective_operation::scan, operation, send, receive);
}

void exscan_within(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive) {
    if (ranks.within().size > 1) {
        reduce_or_copy(plan, ranks, collective_operation::exscan, operation, send, receive);
    }
}

} // namespace lisle::collective
