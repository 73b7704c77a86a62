// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/allreduce.hpp"

#include <utility>

#include "collective/algorithms/bcast.hpp"
#include "collective/algorithms/halving.hpp"
#include "collective/algorithms/reduce.hpp"

namespace lisle::collective {

void allreduce_recursive_doubling(schedule &plan, const team &team, const op &operation,
                                  const typed_buffer &send, const typed_buffer &receive) {
    plan.copy(send, receive);
    if (team.size == 1) {
        return;
    }
    typed_buffer value = receive;
    typed_buffer place = plan.temporary(send.count, *send.type);
    const folded_team ranks{team};
    if (ranks.joins_another()) {
        plan.send(value, team, team.rank + 1);
        plan.await_all();
        plan.receive(receive, team, team.rank + 1);
        return;
    }
    if (ranks.has_joined()) {
        plan.await(plan.receive(place, team, team.rank - 1));
        plan.reduce(operation, place, value);
    }
    for (int distance = 1; distance < ranks.size(); distance *= 2) {
        const int other = ranks.number() ^ distance;
        const int peer = ranks.rank_of(other);
        plan.receive(place, team, peer);
        plan.send(value, team, peer);
        plan.await_all();
        if (other < ranks.number()) {
            plan.reduce(operation, place, value);
        } else {
            plan.reduce(operation, value, place);
            std::swap(value, place);
        }
    }
    plan.copy(value, receive);
    if (ranks.has_joined()) {
        plan.send(receive, team, team.rank - 1);
    }
}

void allreduce_reduce_scatter_allgather(schedule &plan, const team &team, const op &operation,
                                        const typed_buffer &send, const typed_buffer &receive) {
    plan.copy(send, receive);
    if (team.size == 1) {
        return;
    }
    const folded_team ranks{team};
    if (ranks.joins_another()) {
        plan.send(receive, team, team.rank + 1);
        plan.await_all();
        plan.receive(receive, team, team.rank + 1);
        return;
    }
    const typed_buffer place = plan.temporary(send.count, *send.type);
    if (ranks.has_joined()) {
        plan.await(plan.receive(place, team, team.rank - 1));
        plan.reduce(operation, place, receive);
    }
    const auto pieces = [&ranks](const typed_buffer &vector, int first, int count) {
        return pieces_of(vector, first, count, ranks.size());
    };
    reduce_by_halves(plan, team, ranks, operation, receive, place, halving::near_first, pieces);
    for (int length = 1; length < ranks.size(); length *= 2) {
        const int other = ranks.number() ^ ranks.size() / (2 * length);
        const int own = ranks.reversed(ranks.number()) & ~(length - 1);
        plan.receive(pieces(receive, own ^ length, length), team, ranks.rank_of(other));
        plan.send(pieces(receive, own, length), team, ranks.rank_of(other));
        plan.await_all();
    }
    if (ranks.has_joined()) {
        plan.send(receive, team, team.rank - 1);
    }
}

void allreduce_ring(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                    const typed_buffer &receive) {
    plan.copy(send, receive);
    const typed_buffer place = plan.temporary((send.count + team.size - 1) / team.size, *send.type);
    const int next = (team.rank + 1) % team.size;
    const int previous = (team.rank - 1 + team.size) % team.size;
    const auto piece = [&](int distance) {
        return piece_of(receive, (team.rank - distance + 2 * team.size) % team.size, team.size);
    };
    for (int round = 0; round < team.size - 1; ++round) {
        const typed_buffer added = piece(round + 1);
        const typed_buffer arrived = part(place, 0, added.count);
        plan.receive(arrived, team, previous);
        plan.send(piece(round), team, next);
        plan.await_all();
        plan.reduce(operation, arrived, added);
    }
    for (int round = 0; round < team.size - 1; ++round) {
        plan.receive(piece(round), team, previous);
        plan.send(piece(round - 1), team, next);
        plan.await_all();
    }
}

void allreduce_reduce_bcast(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                            const typed_buffer &receive) {
    reduce_binomial(plan, team, operation, send, receive, 0);
    plan.await_all();
    bcast_binomial(plan, team, receive, 0);
}

void allreduce_between_groups(schedule &plan, const team &own, const team &other, const op &operation,
                              const typed_buffer &send, const typed_buffer &receive) {
    const typed_buffer result = own.rank == 0 ? plan.temporary(send.count, *send.type) : typed_buffer{};
    reduce_binomial(plan, own, operation, send, result, 0);
    if (own.rank == 0) {
        plan.receive(receive, other, 0);
        plan.send(result, other, 0);
        plan.await_all();
    }
    bcast_binomial(plan, own, receive, 0);
}

} // namespace lisle::collective
