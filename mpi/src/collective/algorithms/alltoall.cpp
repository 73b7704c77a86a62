// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/alltoall.hpp"

#include <algorithm>

#include "base/rounds.hpp"

namespace lisle::collective {

namespace {

/// Calls function(to, from) for each round; a rank that does not exist is given as -1.
/// @param own_size of the calling rank's group
template <class Function> void each_round(const team &team, int own_size, Function function) {
    const int rounds = std::max(own_size, team.size);
    for (int round = 0; round < rounds; ++round) {
        const int to = static_cast<int>((std::int64_t{team.rank} + round) % rounds);
        const int from = (team.rank - round + rounds) % rounds;
        function(to < team.size ? to : -1, from < team.size ? from : -1);
    }
}

void exchange(schedule &plan, const team &team, int own_size, const block_view &send_blocks,
              const block_view &receive_blocks, bool one_round_at_a_time) {
    each_round(team, own_size, [&](int to, int from) {
        if (team.member && to == team.rank) {
            plan.copy(send_blocks[to], receive_blocks[to]);
            return;
        }
        if (from >= 0 && receive_blocks[from].bytes() > 0) {
            plan.receive(receive_blocks[from], team, from);
        }
        if (to >= 0 && send_blocks[to].bytes() > 0) {
            plan.send(send_blocks[to], team, to);
        }
        if (one_round_at_a_time) {
            plan.await_all();
        }
    });
}

} // namespace

void alltoall_pairwise(schedule &plan, const team &team, const block_view &send_blocks,
                       const block_view &receive_blocks) {
    exchange(plan, team, team.size, send_blocks, receive_blocks, true);
}

void alltoall_linear(schedule &plan, const team &team, const block_view &send_blocks,
                     const block_view &receive_blocks) {
    exchange(plan, team, team.size, send_blocks, receive_blocks, false);
}

void allgather_between_groups(schedule &plan, const team &own, const team &other, const typed_buffer &given,
                              const block_view &receive_blocks) {
    exchange(plan, other, own.size, block_view::repeated(given, other.size), receive_blocks, true);
}

void alltoall_between_groups(schedule &plan, const team &own, const team &other,
                             const block_view &send_blocks, const block_view &receive_blocks) {
    exchange(plan, other, own.size, send_blocks, receive_blocks, true);
}

void alltoall_bruck(schedule &plan, const team &team, const block_view &send_blocks,
                    const block_view &receive_blocks) {
    const MPI_Count each = send_blocks[0].bytes();
    const auto block = [each](const typed_buffer &all, int index) { return part(all, index * each, each); };
    // Block i is on its way to the rank i further; in round k those go 2^k further whose i has that bit.
    const typed_buffer carried = plan.packed(team.size * each);
    const typed_buffer leaving = plan.packed((team.size + 1) / 2 * each);
    const typed_buffer arriving = plan.packed((team.size + 1) / 2 * each);
    for (int i = 0; i < team.size; ++i) {
        const auto to = static_cast<int>((std::int64_t{team.rank} + i) % team.size);
        plan.copy(send_blocks[to], block(carried, i));
    }
    each_doubling(team.size, [&](std::int64_t distance) {
        int moved = 0;
        for (int i = 0; i < team.size; ++i) {
            if ((i & distance) != 0) {
                plan.copy(block(carried, i), block(leaving, moved++));
            }
        }
        plan.receive(part(arriving, 0, moved * each), team, along_ring(team.rank, -distance, team.size));
        plan.send(part(leaving, 0, moved * each), team, along_ring(team.rank, distance, team.size));
        plan.await_all();
        moved = 0;
        for (int i = 0; i < team.size; ++i) {
            if ((i & distance) != 0) {
                plan.copy(block(arriving, moved++), block(carried, i));
            }
        }
    });
    for (int i = 0; i < team.size; ++i) {
        const int from = (team.rank - i + team.size) % team.size;
        plan.copy(block(carried, i), receive_blocks[from]);
    }
}

template <class Plan>
std::vector<typed_buffer> packed_copies(Plan &plan, const team &team, const block_view &blocks) {
    MPI_Count bytes = 0;
    for (int peer = 0; peer < team.size; ++peer) {
        bytes += peer == team.rank ? 0 : blocks[peer].bytes();
    }
    const typed_buffer memory = plan.packed(bytes);
    std::vector<typed_buffer> copies;
    MPI_Count offset = 0;
    for (int peer = 0; peer < team.size; ++peer) {
        const typed_buffer block = blocks[peer];
        if (peer == team.rank) {
            copies.push_back(block);
            continue;
        }
        copies.push_back(part(memory, offset, block.bytes()));
        plan.copy(block, copies.back());
        offset += block.bytes();
    }
    return copies;
}

template std::vector<typed_buffer> packed_copies(schedule &, const team &, const block_view &);
template std::vector<typed_buffer> packed_copies(immediate_steps &, const team &, const block_view &);
template std::vector<typed_buffer> packed_copies(own_copies &, const team &, const block_view &);

} // namespace lisle::collective
