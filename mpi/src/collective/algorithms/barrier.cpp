// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/barrier.hpp"

#include "base/rounds.hpp"
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
    each_doubling(team.size, [&](std::int64_t distance) {
        plan.send(nothing(), team, along_ring(team.rank, distance, team.size));
        plan.receive(nothing(), team, along_ring(team.rank, -distance, team.size));
        plan.await_all();
    });
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
