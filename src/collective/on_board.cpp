// SPDX-License-Identifier: Apache-2.0
#include "collective/on_board.hpp"

#include <array>

namespace lisle::collective {

namespace {

const typed_buffer &at(std::span<const typed_buffer> blocks, int rank) {
    return blocks[static_cast<std::size_t>(rank)];
}

/// Blocks one after the other in one piece of memory.
typed_buffer together(schedule &plan, std::span<const typed_buffer> blocks) {
    const MPI_Count each = blocks.front().bytes();
    const typed_buffer packed = plan.packed(static_cast<MPI_Count>(blocks.size()) * each);
    MPI_Count offset = 0;
    for (const typed_buffer &block : blocks) {
        plan.copy(block, part(packed, offset, each));
        offset += each;
    }
    return packed;
}

void post_and_await_all(schedule &plan, const team &team, const typed_buffer &data) {
    plan.enter(*team.shared);
    plan.post(data);
    plan.await_posts(0, team.size);
}

} // namespace

void board_barrier(schedule &plan, const team &team) {
    post_and_await_all(plan, team, nothing());
    plan.finish(false);
}

void board_bcast(schedule &plan, const team &team, const typed_buffer &buffer, int root) {
    plan.enter(*team.shared);
    if (team.rank == root) {
        plan.post(buffer);
    } else {
        plan.await_posts(root, root + 1);
        plan.take(root, 0, buffer.bytes(), buffer);
    }
    plan.finish(false);
}

void board_gather(schedule &plan, const team &team, const typed_buffer &own,
                  std::span<const typed_buffer> blocks, int root) {
    plan.enter(*team.shared);
    if (team.rank != root) {
        plan.post(own);
    } else {
        for (int peer = 0; peer < team.size; ++peer) {
            if (peer != root) {
                plan.await_posts(peer, peer + 1);
                plan.take(peer, 0, at(blocks, peer).bytes(), at(blocks, peer));
            }
        }
        plan.copy(own, at(blocks, root));
    }
    plan.finish(false);
}

void board_scatter(schedule &plan, const team &team, std::span<const typed_buffer> blocks,
                   const typed_buffer &own, int root) {
    if (team.rank == root) {
        const typed_buffer all = together(plan, blocks);
        plan.enter(*team.shared);
        plan.post(all);
        plan.copy(at(blocks, root), own);
    } else {
        plan.enter(*team.shared);
        plan.await_posts(root, root + 1);
        plan.take(root, team.rank * own.bytes(), team.size * own.bytes(), own);
    }
    plan.finish(false);
}

void board_allgather(schedule &plan, const team &team, const typed_buffer &own,
                     std::span<const typed_buffer> blocks) {
    post_and_await_all(plan, team, own);
    for (int peer = 0; peer < team.size; ++peer) {
        plan.take(peer, 0, at(blocks, peer).bytes(), at(blocks, peer));
    }
    plan.finish(false);
}

void board_alltoall(schedule &plan, const team &team, std::span<const typed_buffer> send,
                    std::span<const typed_buffer> receive) {
    const typed_buffer all = together(plan, send);
    post_and_await_all(plan, team, all);
    const MPI_Count each = send.front().bytes();
    for (int peer = 0; peer < team.size; ++peer) {
        plan.take(peer, team.rank * each, all.bytes(), at(receive, peer));
    }
    plan.finish(false);
}

void board_reduce(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                  const typed_buffer &receive, int root) {
    plan.enter(*team.shared);
    plan.post(send);
    if (team.rank == root) {
        plan.await_posts(0, team.size);
        plan.reduce_posts(operation, 0, team.size, 0, send.bytes(), receive);
    }
    plan.finish(false);
}

void board_allreduce(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                     const typed_buffer &receive) {
    post_and_await_all(plan, team, send);
    plan.reduce_posts(operation, 0, team.size, 0, send.bytes(), receive);
    plan.finish(false);
}

void board_reduce_scatter(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                          const typed_buffer &receive, MPI_Count before) {
    post_and_await_all(plan, team, send);
    plan.reduce_posts(operation, 0, team.size, before, send.bytes(), receive);
    plan.finish(false);
}

void board_scan(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                const typed_buffer &receive) {
    plan.enter(*team.shared);
    plan.post(send);
    plan.await_posts(0, team.rank);
    plan.reduce_posts(operation, 0, team.rank + 1, 0, send.bytes(), receive);
    plan.finish(false);
}

void board_exscan(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                  const typed_buffer &receive) {
    plan.enter(*team.shared);
    plan.post(send);
    if (team.rank > 0) {
        plan.await_posts(0, team.rank);
        plan.reduce_posts(operation, 0, team.rank, 0, send.bytes(), receive);
    }
    plan.finish(false);
}

} // namespace lisle::collective
