// SPDX-License-Identifier: Apache-2.0
#include "collective/allreduce.hpp"

#include <bit>
#include <utility>

#include "collective/bcast.hpp"
#include "collective/reduce.hpp"

namespace lisle::collective {

void allreduce_recursive_doubling(schedule &plan, const team &team, const op &operation,
                                  const typed_buffer &send, const typed_buffer &receive) {
    plan.copy(send, receive);
    if (team.size == 1) {
        return;
    }
    typed_buffer value = receive;
    typed_buffer place = plan.temporary(send.count, *send.type);
    const int doubled = static_cast<int>(std::bit_floor(static_cast<unsigned>(team.size)));
    const int pairs = team.size - doubled;
    const bool paired = team.rank < 2 * pairs;
    if (paired && team.rank % 2 == 0) {
        plan.send(value, team, team.rank + 1);
        plan.await_all();
        plan.receive(receive, team, team.rank + 1);
        return;
    }
    if (paired) {
        plan.await(plan.receive(place, team, team.rank - 1));
        plan.reduce(operation, place, value);
    }
    // Numbers of those that take part: a pair's is that of its odd rank.
    const int number = paired ? team.rank / 2 : team.rank - pairs;
    for (int distance = 1; distance < doubled; distance *= 2) {
        const int other = number ^ distance;
        const int peer = other < pairs ? 2 * other + 1 : other + pairs;
        plan.receive(place, team, peer);
        plan.send(value, team, peer);
        plan.await_all();
        if (other < number) {
            plan.reduce(operation, place, value);
        } else {
            plan.reduce(operation, value, place);
            std::swap(value, place);
        }
    }
    plan.copy(value, receive);
    if (paired) {
        plan.send(receive, team, team.rank - 1);
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
