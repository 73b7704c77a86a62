// SPDX-License-Identifier: Apache-2.0
// A tournament barrier. In each round a winner waits for a loser, who is out; the last winner releases all
// losers, who release those that they have beaten. [D. Hensgen, R. Finkel, U. Manber: Two algorithms for
// barrier synchronization, 1988]
#pragma once

#include "base/binomial_tree.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// 2 (n - 1) messages in 2 log n rounds, where barrier_dissemination has n log n in log n. For comparison.
inline void barrier_tournament(schedule &plan, const team &team) {
    const auto here = binomial_node::at(team.rank, 0, team.size);
    here.each_child([&](const binomial_node &loser) { plan.receive(nothing(), team, loser.number()); });
    plan.await_all();
    if (!here.is_root()) {
        plan.send(nothing(), team, here.parent());
        plan.receive(nothing(), team, here.parent());
        plan.await_all();
    }
    here.each_child_downwards(
        [&](const binomial_node &loser) { plan.send(nothing(), team, loser.number()); });
}

} // namespace lisle::collective
