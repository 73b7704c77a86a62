// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/barrier.hpp"

#include "collective/algorithms/bcast.hpp"

namespace lisle::collective {

void signal_root(schedule &plan, const team &team) {
    if (team.rank != 0) {
        plan.send(nothing(), team, 0);
        return;
    }
    for (int peer = 1; peer < team.size; ++peer) {
        plan.receive(nothing(), team, peer);
    }
    plan.await_all();
}

void barrier_dissemination(schedule &plan, const team &team) {
    for (std::int64_t distance = 1; distance < team.size; distance *= 2) {
        const int to = static_cast<int>((team.rank + distance) % team.size);
        const int from = static_cast<int>((team.rank - distance + team.size) % team.size);
        plan.send(nothing(), team, to);
        plan.receive(nothing(), team, from);
        plan.await_all();
    }
}

void barrier_linear(schedule &plan, const team &team) {
    signal_root(plan, team);
    bcast_linear(plan, team, nothing(), 0);
}

void barrier_between_groups(schedule &plan, const team &own, const team &other) {
    signal_root(plan, own);
    if (own.rank == 0) {
        plan.send(nothing(), other, 0);
        plan.receive(nothing(), other, 0);
        plan.await_all();
    }
    bcast_binomial(plan, own, nothing(), 0);
}

} // namespace lisle::collective
