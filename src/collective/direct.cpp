// SPDX-License-Identifier: Apache-2.0
#include "collective/direct.hpp"

#include <algorithm>

namespace lisle::collective {

namespace {

// From this size on a broadcast's root copies a part of it, too: below, that costs more than it saves.
constexpr MPI_Count least_shared_copy = 32768;
// Shares of a copy begin at whole pages, so that no two ranks write one line.
constexpr MPI_Count share_unit = 4096;
// Shares of a reduction, in elements: a multiple of what fills a line of any type's.
constexpr MPI_Count slice_unit = 64;

const typed_buffer &at(std::span<const typed_buffer> blocks, int rank) {
    return blocks[static_cast<std::size_t>(rank)];
}

void show(schedule &plan, const team &team, const card &shown) {
    plan.enter(*team.shared);
    plan.show(shown);
}

/// Nobody uses the others' buffers after that.
void finish_all(schedule &plan, const team &team) {
    plan.finish(true);
    plan.await_finished(0, team.size);
}

struct slice {
    MPI_Count first, count;
};

/// The calling rank's share of `count` elements.
slice slice_of(const team &team, MPI_Count count) noexcept {
    const MPI_Count units = (count + slice_unit - 1) / slice_unit;
    const MPI_Count each = units / team.size, more = units % team.size;
    const auto begin = [&](MPI_Count rank) {
        return std::min(count, (each * rank + std::min(rank, more)) * slice_unit);
    };
    const MPI_Count first = begin(team.rank);
    return {first, begin(team.rank + 1) - first};
}

/// Each rank reduces its slice.
void reduce_by_slices(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive, result_place place, int root) {
    show(plan, team, {send, receive, nullptr});
    plan.await_posts(0, team.size);
    const slice own = slice_of(team, send.count);
    if (own.count > 0) {
        plan.reduce_shown(operation, place, root, own.first, {nullptr, own.count, *send.type});
    }
    finish_all(plan, team);
}

} // namespace

void direct_bcast(schedule &plan, const team &team, const typed_buffer &buffer, int root) {
    const MPI_Count bytes = buffer.bytes();
    // The root does as much as any other rank.
    const MPI_Count by_root = bytes < least_shared_copy ? 0 : bytes / team.size / share_unit * share_unit;
    if (team.rank == root) {
        show(plan, team, {buffer, {}, nullptr});
        if (by_root > 0) {
            for (int distance = 1; distance < team.size; ++distance) {
                const int peer = static_cast<int>((std::int64_t{root} + distance) % team.size);
                plan.await_posts(peer, peer + 1);
                plan.write(peer, card_part::whole, bytes - by_root, by_root, buffer);
            }
        }
        finish_all(plan, team);
        return;
    }
    plan.enter(*team.shared);
    if (by_root > 0) {
        plan.show({{}, buffer, nullptr});
    }
    plan.await_posts(root, root + 1);
    plan.read(root, card_part::whole, 0, bytes - by_root, buffer);
    plan.finish(true);
    if (by_root > 0) {
        plan.await_finished(root, root + 1);
    }
}

void direct_gather(schedule &plan, const team &team, const typed_buffer &own,
                   std::span<const typed_buffer> blocks, int root) {
    if (team.rank == root) {
        show(plan, team, {{}, {}, plan.keep_blocks(blocks)});
        plan.copy(own, at(blocks, root));
        finish_all(plan, team);
        return;
    }
    plan.enter(*team.shared);
    plan.await_posts(root, root + 1);
    plan.write(root, card_part::block, 0, own.bytes(), own);
    plan.finish(true);
}

void direct_scatter(schedule &plan, const team &team, std::span<const typed_buffer> blocks,
                    const typed_buffer &own, int root) {
    if (team.rank == root) {
        show(plan, team, {{}, {}, plan.keep_blocks(blocks)});
        plan.copy(at(blocks, root), own);
        finish_all(plan, team);
        return;
    }
    plan.enter(*team.shared);
    plan.await_posts(root, root + 1);
    plan.read(root, card_part::block, 0, own.bytes(), own);
    plan.finish(true);
}

void direct_allgather(schedule &plan, const team &team, const typed_buffer &own,
                      std::span<const typed_buffer> blocks) {
    show(plan, team, {own, {}, nullptr});
    plan.copy(own, at(blocks, team.rank));
    for (int distance = 1; distance < team.size; ++distance) {
        const int peer = static_cast<int>((std::int64_t{team.rank} + distance) % team.size);
        plan.await_posts(peer, peer + 1);
        plan.read(peer, card_part::whole, 0, at(blocks, peer).bytes(), at(blocks, peer));
    }
    finish_all(plan, team);
}

void direct_alltoall(schedule &plan, const team &team, std::span<const typed_buffer> send,
                     std::span<const typed_buffer> receive) {
    show(plan, team, {{}, {}, plan.keep_blocks(send)});
    plan.copy(at(send, team.rank), at(receive, team.rank));
    for (int distance = 1; distance < team.size; ++distance) {
        const int peer = static_cast<int>((std::int64_t{team.rank} + distance) % team.size);
        plan.await_posts(peer, peer + 1);
        plan.read(peer, card_part::block, 0, at(receive, peer).bytes(), at(receive, peer));
    }
    finish_all(plan, team);
}

void direct_reduce(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive, int root) {
    reduce_by_slices(plan, team, operation, send, receive, result_place::one_member, root);
}

void direct_allreduce(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                      const typed_buffer &receive) {
    reduce_by_slices(plan, team, operation, send, receive, result_place::everywhere, 0);
}

void direct_reduce_scatter(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                           const typed_buffer &receive, MPI_Count first) {
    // In place the result lies where others still read.
    const bool in_place = send.address == receive.address;
    const typed_buffer result = in_place ? plan.temporary(receive.count, *receive.type) : receive;
    show(plan, team, {send, {}, nullptr});
    plan.await_posts(0, team.size);
    if (receive.count > 0) {
        plan.reduce_shown(operation, result_place::here, team.rank, first, result);
    }
    finish_all(plan, team);
    if (in_place) {
        plan.copy(result, receive);
    }
}

void direct_scan(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                 const typed_buffer &receive) {
    reduce_by_slices(plan, team, operation, send, receive, result_place::prefixes, 0);
}

void direct_exscan(schedule &plan, const team &team, const op &operation, const typed_buffer &send,
                   const typed_buffer &receive) {
    reduce_by_slices(plan, team, operation, send, receive, result_place::prefixes_before, 0);
}

} // namespace lisle::collective
