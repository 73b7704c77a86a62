// SPDX-License-Identifier: Apache-2.0
#include "collective/bcast.hpp"

#include "collective/tree.hpp"

namespace lisle::collective {

void bcast_binomial(schedule &plan, const team &team, const typed_buffer &buffer, int root) {
    const auto here = binomial_node::at(team.rank, root, team.size);
    if (!here.is_root()) {
        plan.await(plan.receive(buffer, team, rank_in_tree(here.parent(), root, team.size)));
    }
    here.each_child_downwards([&](const binomial_node &child) {
        plan.send(buffer, team, rank_in_tree(child.number(), root, team.size));
    });
}

void bcast_linear(schedule &plan, const team &team, const typed_buffer &buffer, int root) {
    if (team.rank != root) {
        plan.await(plan.receive(buffer, team, root));
        return;
    }
    for (int peer = 0; peer < team.size; ++peer) {
        if (peer != root) {
            plan.send(buffer, team, peer);
        }
    }
}

void bcast_between_groups(schedule &plan, const team &own, const team &other, const typed_buffer &buffer,
                          int root) {
    if (root == MPI_ROOT) {
        plan.send(buffer, other, 0);
    } else if (root != MPI_PROC_NULL) {
        if (own.rank == 0) {
            plan.await(plan.receive(buffer, other, root));
        }
        bcast_binomial(plan, own, buffer, 0);
    }
}

} // namespace lisle::collective
