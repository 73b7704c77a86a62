// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/bcast.hpp"

#include <algorithm>

#include "base/binomial_tree.hpp"

namespace lisle::collective {

namespace {

// Long enough to be sent at full speed, short enough to fill the chain soon.
constexpr MPI_Count segment_bytes = 65536;

} // namespace

void bcast_binomial(schedule &plan, const team &team, const typed_buffer &buffer, int root) {
    const auto here = binomial_node::at(team.rank, root, team.size);
    if (!here.is_root()) {
        plan.await(plan.receive(buffer, team, rank_in_tree(here.parent(), root, team.size)));
    }
    here.each_child_downwards([&](const binomial_node &child) {
        plan.send(buffer, team, rank_in_tree(child.number(), root, team.size));
    });
}

void bcast_pipelined(schedule &plan, const team &team, const typed_buffer &buffer, int root) {
    const int number = (team.rank - root + team.size) % team.size;
    const typed_buffer data = as_bytes(plan, buffer, number == 0);
    const int next = number + 1 < team.size ? (team.rank + 1) % team.size : -1;
    const int previous = (team.rank - 1 + team.size) % team.size;
    const auto segment = [&data](MPI_Count first) {
        return part(data, first, std::min(segment_bytes, data.count - first));
    };
    step_index coming = number > 0 && data.count > 0 ? plan.receive(segment(0), team, previous) : 0;
    for (MPI_Count first = 0; first < data.count; first += segment_bytes) {
        if (number > 0) {
            // The next segment may come while this one is passed on.
            const step_index arrived = coming;
            if (first + segment_bytes < data.count) {
                coming = plan.receive(segment(first + segment_bytes), team, previous);
            }
            plan.await(arrived);
        }
        if (next >= 0) {
            plan.send(segment(first), team, next);
        }
    }
    if (number > 0 && data.address != buffer.address) {
        plan.copy(data, buffer);
    }
}

void bcast_scatter_allgather(schedule &plan, const team &team, const typed_buffer &buffer, int root) {
    const auto here = binomial_node::at(team.rank, root, team.size);
    const typed_buffer data = as_bytes(plan, buffer, here.is_root());
    // The pieces of a subtree, one after the other.
    const auto pieces = [&](int first, int count) {
        const typed_buffer begin = piece_of(data, first, team.size);
        const typed_buffer last = piece_of(data, first + count - 1, team.size);
        const auto length = static_cast<std::byte *>(last.address) - static_cast<std::byte *>(begin.address);
        return part(begin, 0, length + last.count);
    };
    if (!here.is_root()) {
        plan.await(plan.receive(pieces(here.number(), here.subtree()), team,
                                rank_in_tree(here.parent(), root, team.size)));
    }
    here.each_child_downwards([&](const binomial_node &child) {
        plan.send(pieces(child.number(), child.subtree()), team,
                  rank_in_tree(child.number(), root, team.size));
    });
    const int next = (team.rank + 1) % team.size;
    const int previous = (team.rank - 1 + team.size) % team.size;
    for (int round = 0; round < team.size - 1; ++round) {
        const int mine = (here.number() - round + team.size) % team.size;
        plan.send(piece_of(data, mine, team.size), team, next);
        plan.await(
            plan.receive(piece_of(data, (mine - 1 + team.size) % team.size, team.size), team, previous));
    }
    if (!here.is_root() && data.address != buffer.address) {
        plan.await_all();
        plan.copy(data, buffer);
    }
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
