// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/reduce_scatter.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "collective/algorithms/gather.hpp"
#include "collective/algorithms/halving.hpp"
#include "collective/algorithms/reduce.hpp"

namespace lisle::collective {

namespace {

/// The pieces of a vector.
std::vector<typed_buffer> pieces(const typed_buffer &vector, std::span<const MPI_Count> counts) {
    std::vector<typed_buffer> blocks;
    blocks.reserve(counts.size());
    MPI_Count first = 0;
    for (const MPI_Count count : counts) {
        blocks.push_back(part(vector, first, count));
        first += count;
    }
    return blocks;
}

} // namespace

void reduce_scatter_by_root(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                            const typed_buffer &receive, std::span<const MPI_Count> counts) {
    if (team.rank == 0) {
        const typed_buffer result = plan.temporary(send.count, *send.type);
        reduce_binomial(plan, team, operation, send, result, 0);
        scatter_linear(plan, team, pieces(result, counts), receive, 0);
        return;
    }
    reduce_binomial(plan, team, operation, send, {}, 0);
    plan.await_all();
    scatter_linear(plan, team, {}, receive, 0);
}

void reduce_scatter_pairwise(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                             const typed_buffer &receive, std::span<const MPI_Count> counts) {
    const auto blocks = pieces(send, counts);
    typed_buffer value = plan.temporary(receive.count, *receive.type);
    typed_buffer place = plan.temporary(receive.count, *receive.type);
    plan.copy(blocks[static_cast<std::size_t>(team.rank)], value);
    for (int round = 1; round < team.size; ++round) {
        const int to = static_cast<int>((std::int64_t{team.rank} + round) % team.size);
        const int from = (team.rank - round + team.size) % team.size;
        plan.receive(place, team, from);
        plan.send(blocks[static_cast<std::size_t>(to)], team, to);
        plan.await_all();
        plan.reduce(operation, place, value);
    }
    plan.copy(value, receive);
}

void reduce_scatter_recursive_halving(schedule &plan, const team &team, const op &operation,
                                      const typed_buffer &send, const typed_buffer &receive,
                                      std::span<const MPI_Count> counts) {
    const folded_team ranks{team};
    if (ranks.joins_another()) {
        plan.send(send, team, team.rank + 1);
        plan.await_all();
        plan.receive(receive, team, team.rank + 1);
        return;
    }
    const typed_buffer value = plan.temporary(send.count, *send.type);
    const typed_buffer place = plan.temporary(send.count, *send.type);
    plan.copy(send, value);
    if (ranks.has_joined()) {
        plan.await(plan.receive(place, team, team.rank - 1));
        plan.reduce(operation, place, value);
    }
    // The pieces of the ranks that numbers [first, first + length) stand for.
    const auto range = [&](const typed_buffer &vector, int first, int length) {
        const int begin = ranks.first_rank_of(first);
        const int end = first + length == ranks.size() ? team.size : ranks.first_rank_of(first + length);
        const auto at = [&](int rank) {
            return std::accumulate(counts.begin(), counts.begin() + rank, MPI_Count{0});
        };
        return part(vector, at(begin), at(end) - at(begin));
    };
    reduce_by_halves(plan, team, ranks, operation, value, place, halving::far_first, range);
    const auto blocks = pieces(value, counts);
    plan.copy(blocks[static_cast<std::size_t>(team.rank)], receive);
    if (ranks.has_joined()) {
        plan.send(blocks[static_cast<std::size_t>(team.rank - 1)], team, team.rank - 1);
    }
}

void reduce_scatter_between_groups(schedule &plan, const team &own, const team &other, const op &operation,
                                   const typed_buffer &send, const typed_buffer &receive,
                                   std::span<const MPI_Count> counts) {
    if (own.rank != 0) {
        reduce_binomial(plan, own, operation, send, {}, 0);
        scatter_linear(plan, own, {}, receive, 0);
        return;
    }
    const typed_buffer result = plan.temporary(send.count, *send.type);
    const typed_buffer others = plan.temporary(send.count, *send.type);
    reduce_binomial(plan, own, operation, send, result, 0);
    plan.receive(others, other, 0);
    plan.send(result, other, 0);
    plan.await_all();
    scatter_linear(plan, own, pieces(others, counts), receive, 0);
}

} // namespace lisle::collective
