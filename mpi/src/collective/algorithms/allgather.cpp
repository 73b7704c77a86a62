// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/allgather.hpp"

#include <algorithm>

#include "base/rounds.hpp"

namespace lisle::collective {

void allgather_ring(schedule &plan, const team &team, const typed_buffer &own, const block_view &blocks) {
    const auto block = [&](int distance) { return blocks[(team.rank - distance + team.size) % team.size]; };
    const int next = (team.rank + 1) % team.size;
    const int previous = (team.rank - 1 + team.size) % team.size;
    plan.copy(own, block(0));
    for (int round = 0; round < team.size - 1; ++round) {
        plan.send(block(round), team, next);
        plan.await(plan.receive(block(round + 1), team, previous));
    }
}

void allgather_recursive_doubling(schedule &plan, const team &team, const typed_buffer &own,
                                  const block_view &blocks) {
    const MPI_Count count = blocks[0].count;
    const typed_buffer all = whole(blocks);
    plan.copy(own, part(all, team.rank * count, count));
    for (int distance = 1; distance < team.size; distance *= 2) {
        const int peer = team.rank ^ distance;
        const int mine = team.rank & ~(distance - 1);
        const int theirs = peer & ~(distance - 1);
        plan.send(part(all, mine * count, distance * count), team, peer);
        plan.await(plan.receive(part(all, theirs * count, distance * count), team, peer));
    }
}

void allgather_bruck(schedule &plan, const team &team, const typed_buffer &own, const block_view &blocks) {
    const MPI_Count count = blocks[0].count;
    const typed_buffer all = whole(blocks);
    const MPI_Count block = count * all.type->size();
    // Block i of the rotated copy is that of rank (rank + i) % size.
    const typed_buffer rotated = plan.packed(team.size * block);
    plan.copy(own, part(rotated, 0, block));
    each_doubling(team.size, [&](std::int64_t distance) {
        const MPI_Count length = std::min(distance, team.size - distance) * block;
        plan.send(part(rotated, 0, length), team, along_ring(team.rank, -distance, team.size));
        plan.await(plan.receive(part(rotated, distance * block, length), team,
                                along_ring(team.rank, distance, team.size)));
    });
    const int above = team.size - team.rank;
    plan.copy(part(rotated, 0, above * block), part(all, team.rank * count, above * count));
    plan.copy(part(rotated, above * block, team.rank * block), part(all, 0, team.rank * count));
}

} // namespace lisle::collective
