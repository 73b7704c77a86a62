// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/gather.hpp"

#include "base/binomial_tree.hpp"

namespace lisle::collective {

void gather_linear(schedule &plan, const team &team, const typed_buffer &own, const block_view &blocks,
                   int root) {
    if (team.rank != root) {
        plan.send(own, team, root);
        return;
    }
    for (int peer = 0; peer < team.size; ++peer) {
        if (peer != root) {
            plan.receive(blocks[peer], team, peer);
        }
    }
    plan.copy(own, blocks[root]);
}

void gather_binomial(schedule &plan, const team &team, const typed_buffer &own, const block_view &blocks,
                     int root) {
    const auto here = binomial_node::at(team.rank, root, team.size);
    if (!here.is_root()) {
        const int parent = rank_in_tree(here.parent(), root, team.size);
        if (here.subtree() == 1) {
            plan.send(own, team, parent);
            return;
        }
        const MPI_Count block = own.bytes();
        const typed_buffer collected = plan.packed(here.subtree() * block);
        here.each_child([&](const binomial_node &child) {
            plan.receive(part(collected, (child.number() - here.number()) * block, child.subtree() * block),
                         team, rank_in_tree(child.number(), root, team.size));
        });
        plan.copy(own, part(collected, 0, block));
        plan.await_all();
        plan.send(collected, team, parent);
        return;
    }
    const MPI_Count count = blocks[0].count;
    const typed_buffer all = whole(blocks);
    here.each_child([&](const binomial_node &child) {
        const int first = rank_in_tree(child.number(), root, team.size);
        const int above = std::min(child.subtree(), team.size - first);
        if (above == child.subtree()) {
            plan.receive(part(all, first * count, above * count), team, first);
            return;
        }
        // The subtree's ranks go on from 0: its data belong to both ends of the array.
        const MPI_Count block = count * all.type->size();
        const typed_buffer collected = plan.packed(child.subtree() * block);
        plan.await(plan.receive(collected, team, first));
        plan.copy(part(collected, 0, above * block), part(all, first * count, above * count));
        plan.copy(part(collected, above * block, (child.subtree() - above) * block),
                  part(all, 0, (child.subtree() - above) * count));
    });
    plan.copy(own, part(all, root * count, count));
}

void scatter_linear(schedule &plan, const team &team, const block_view &blocks, const typed_buffer &own,
                    int root) {
    if (team.rank != root) {
        plan.receive(own, team, root);
        return;
    }
    for (int peer = 0; peer < team.size; ++peer) {
        if (peer != root) {
            plan.send(blocks[peer], team, peer);
        }
    }
    plan.copy(blocks[root], own);
}

void scatter_binomial(schedule &plan, const team &team, const block_view &blocks, const typed_buffer &own,
                      int root) {
    const auto here = binomial_node::at(team.rank, root, team.size);
    if (!here.is_root()) {
        const int parent = rank_in_tree(here.parent(), root, team.size);
        if (here.subtree() == 1) {
            plan.receive(own, team, parent);
            return;
        }
        const MPI_Count block = own.bytes();
        const typed_buffer carried = plan.packed(here.subtree() * block);
        plan.await(plan.receive(carried, team, parent));
        here.each_child_downwards([&](const binomial_node &child) {
            plan.send(part(carried, (child.number() - here.number()) * block, child.subtree() * block), team,
                      rank_in_tree(child.number(), root, team.size));
        });
        plan.copy(part(carried, 0, block), own);
        return;
    }
    const MPI_Count count = blocks[0].count;
    const typed_buffer all = whole(blocks);
    here.each_child_downwards([&](const binomial_node &child) {
        const int first = rank_in_tree(child.number(), root, team.size);
        const int above = std::min(child.subtree(), team.size - first);
        if (above == child.subtree()) {
            plan.send(part(all, first * count, above * count), team, first);
            return;
        }
        const MPI_Count block = count * all.type->size();
        const typed_buffer carried = plan.packed(child.subtree() * block);
        plan.copy(part(all, first * count, above * count), part(carried, 0, above * block));
        plan.copy(part(all, 0, (child.subtree() - above) * count),
                  part(carried, above * block, (child.subtree() - above) * block));
        plan.send(carried, team, first);
    });
    plan.copy(part(all, root * count, count), own);
}

void gather_between_groups(schedule &plan, const team &, const team &other, const typed_buffer &own,
                           const block_view &blocks, int root) {
    if (root == MPI_ROOT) {
        for (int peer = 0; peer < other.size; ++peer) {
            plan.receive(blocks[peer], other, peer);
        }
    } else if (root != MPI_PROC_NULL) {
        plan.send(own, other, root);
    }
}

void scatter_between_groups(schedule &plan, const team &, const team &other, const block_view &blocks,
                            const typed_buffer &own, int root) {
    if (root == MPI_ROOT) {
        for (int peer = 0; peer < other.size; ++peer) {
            plan.send(blocks[peer], other, peer);
        }
    } else if (root != MPI_PROC_NULL) {
        plan.receive(own, other, root);
    }
}

} // namespace lisle::collective
