// SPDX-License-Identifier: Apache-2.0
#include "collective/node/two_level.hpp"

#include "collective/algorithms/allreduce.hpp"
#include "collective/algorithms/barrier.hpp"
#include "collective/algorithms/bcast.hpp"
#include "collective/algorithms/reduce.hpp"
#include "collective/algorithms/reduce_scatter.hpp"
#include "collective/algorithms/scan.hpp"
#include "collective/node/within_place.hpp"

namespace lisle::collective {

void two_level_barrier(schedule &plan, const two_levels &ranks) {
    const block_view nobody = block_view::repeated(nothing(), ranks.within().size);
    gather_within(plan, ranks, nothing(), nobody, 0);
    if (ranks.leads()) {
        barrier_dissemination(plan, ranks.leaders());
        plan.await_all();
    }
    bcast_within(plan, ranks, nothing());
}

void two_level_bcast(schedule &plan, const two_levels &ranks, const typed_buffer &buffer) {
    if (ranks.leads()) {
        bcast_binomial(plan, ranks.leaders(), buffer, ranks.root_place());
        plan.await_all();
    }
    bcast_within(plan, ranks, buffer);
}

void two_level_reduce(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive) {
    const bool root = ranks.leads() && ranks.place() == ranks.root_place();
    const typed_buffer result = root            ? receive
                                : ranks.leads() ? plan.temporary(send.count, *send.type)
                                                : typed_buffer{nullptr, send.count, *send.type};
    reduce_within(plan, ranks, operation, send, result);
    if (ranks.leads()) {
        reduce_binomial(plan, ranks.leaders(), operation, result, result, ranks.root_place());
        plan.await_all();
    }
}

void two_level_allreduce(schedule &plan, const two_levels &ranks, const op &operation,
                         const typed_buffer &send, const typed_buffer &receive) {
    constexpr MPI_Count most_doubled = 8192; // as for one level
    reduce_within(plan, ranks, operation, send, receive);
    if (ranks.leads()) {
        if (operation.commutative() && receive.bytes() > most_doubled) {
            allreduce_reduce_scatter_allgather(plan, ranks.leaders(), operation, receive, receive);
        } else {
            allreduce_recursive_doubling(plan, ranks.leaders(), operation, receive, receive);
        }
        plan.await_all();
    }
    bcast_within(plan, ranks, receive);
}

void two_level_reduce_scatter(schedule &plan, const two_levels &ranks, const op &operation,
                              const typed_buffer &send, const typed_buffer &receive,
                              std::span<const MPI_Count> counts) {
    // The leader has the sum of its place, then the pieces of its place's ranks of the whole sum.
    const datatype &type = *send.type;
    const auto count_of = [&](int place) {
        MPI_Count count = 0;
        for (const int rank : ranks.places().ranks_of(place)) {
            count += counts[static_cast<std::size_t>(rank)];
        }
        return count;
    };
    std::vector<typed_buffer> pieces;
    if (ranks.leads()) {
        const typed_buffer sum = plan.temporary(send.count, type);
        reduce_within(plan, ranks, operation, send, sum);
        std::vector<MPI_Count> of_places;
        for (int place = 0; place < ranks.places().places(); ++place) {
            of_places.push_back(count_of(place));
        }
        const typed_buffer mine = plan.temporary(count_of(ranks.place()), type);
        if (operation.commutative()) {
            reduce_scatter_pairwise(plan, ranks.leaders(), operation, sum, mine, of_places);
        } else {
            reduce_scatter_by_root(plan, ranks.leaders(), operation, sum, mine, of_places);
        }
        plan.await_all();
        for (MPI_Count first = 0; const int rank : ranks.places().ranks_of(ranks.place())) {
            const MPI_Count count = counts[static_cast<std::size_t>(rank)];
            pieces.push_back(part(mine, first, count));
            first += count;
        }
    } else {
        reduce_within(plan, ranks, operation, send, {nullptr, send.count, type});
    }
    scatter_within(plan, ranks, block_view{pieces}, receive, 0, false);
}

namespace {

/// What the places before the calling rank's give, at all its ranks. @param own at the leader what its place
/// gives @pre not the first place
typed_buffer sum_before(schedule &plan, const two_levels &ranks, const op &operation,
                        const typed_buffer &own) {
    const typed_buffer before = plan.temporary(own.count, *own.type);
    if (ranks.leads()) {
        exscan_doubling(plan, ranks.leaders(), operation, own, before);
        plan.await_all();
    }
    bcast_within(plan, ranks, before);
    return before;
}

/// The first place's part of that.
void give_to_next(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &own) {
    if (ranks.leads()) {
        exscan_doubling(plan, ranks.leaders(), operation, own, plan.temporary(own.count, *own.type));
        plan.await_all();
    }
}

} // namespace

void two_level_scan(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                    const typed_buffer &receive) {
    scan_within(plan, ranks, operation, send, receive);
    if (ranks.place() == 0) {
        give_to_next(plan, ranks, operation, receive);
    } else {
        plan.reduce(operation, sum_before(plan, ranks, operation, receive), receive);
    }
}

void two_level_exscan(schedule &plan, const two_levels &ranks, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive) {
    const bool alone = ranks.within().size == 1;
    typed_buffer sum{nullptr, send.count, *send.type};
    if (ranks.leads()) {
        sum = plan.temporary(send.count, *send.type);
        plan.copy(send, sum); // before the result of this place goes where `send` may lie
    }
    exscan_within(plan, ranks, operation, send, receive);
    if (ranks.leads() && !alone) {
        plan.reduce(operation, receive, sum);
    }
    if (ranks.place() == 0) {
        give_to_next(plan, ranks, operation, sum);
        return;
    }
    const typed_buffer before = sum_before(plan, ranks, operation, sum);
    if (ranks.within().rank == 0) {
        plan.copy(before, receive);
    } else {
        plan.reduce(operation, before, receive);
    }
}

} // namespace lisle::collective
