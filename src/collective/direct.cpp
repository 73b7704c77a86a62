// SPDX-License-Identifier: Apache-2.0
#include "collective/direct.hpp"

#include <algorithm>
#include <vector>

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

/// A buffer as others can use it: in one piece if they live in other processes. @param fill with its data
typed_buffer for_others(schedule &plan, const team &team, const typed_buffer &buffer, bool fill) {
    return team.shared->one_process() ? buffer : as_bytes(plan, buffer, fill);
}

std::vector<typed_buffer> for_others(schedule &plan, const team &team, std::span<const typed_buffer> blocks,
                                     bool fill) {
    std::vector<typed_buffer> shown(blocks.begin(), blocks.end());
    for (typed_buffer &block : shown) {
        block = for_others(plan, team, block, fill);
    }
    return shown;
}

/// What others have written, where it belongs. @pre they have finished
void take_back(schedule &plan, const typed_buffer &shown, const typed_buffer &buffer) {
    if (shown.address != buffer.address) {
        plan.copy(shown, buffer);
    }
}

/// The rank `distance` after the calling one.
int after(const team &team, int distance) noexcept {
    return static_cast<int>((std::int64_t{team.rank} + distance) % team.size);
}

/// A block that goes by way of the board although others may be too long for it. Both sides know its size.
bool posted(const typed_buffer &block) noexcept {
    return block.bytes() <= board::most_in_slot;
}

/// Posts a block for each rank if all of them fit together, shows them otherwise: fetch steps find out. True:
/// they are shown, so others must finish before they may change.
bool offer(schedule &plan, const team &team, std::span<const typed_buffer> blocks) {
    if (packed_bytes(blocks) <= board::most_in_slot) {
        const typed_buffer all = pack_blocks(plan, blocks);
        plan.enter(*team.shared);
        plan.post(all);
        return false;
    }
    show(plan, team, {{}, {}, plan.keep_blocks(for_others(plan, team, blocks, true))});
    return true;
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
        const typed_buffer shown = for_others(plan, team, buffer, true);
        show(plan, team, {shown, {}, nullptr});
        if (by_root > 0) {
            for (int distance = 1; distance < team.size; ++distance) {
                const int peer = after(team, distance);
                plan.await_posts(peer, peer + 1);
                plan.write(peer, card_part::whole, bytes - by_root, by_root, shown);
            }
        }
        finish_all(plan, team);
        return;
    }
    plan.enter(*team.shared);
    typed_buffer shown = buffer;
    if (by_root > 0) {
        shown = for_others(plan, team, buffer, false);
        plan.show({{}, shown, nullptr});
    }
    plan.await_posts(root, root + 1);
    plan.read(root, card_part::whole, 0, bytes - by_root, shown);
    plan.finish(true);
    if (by_root > 0) {
        plan.await_finished(root, root + 1);
    }
    take_back(plan, shown, buffer);
}

void direct_gather(schedule &plan, const team &team, const typed_buffer &own,
                   std::span<const typed_buffer> blocks, int root) {
    if (team.rank != root) {
        if (posted(own)) {
            plan.enter(*team.shared);
            plan.post(own);
            plan.finish(false);
            return;
        }
        plan.enter(*team.shared);
        plan.await_posts(root, root + 1);
        plan.write(root, card_part::block, 0, own.bytes(), own);
        plan.finish(true);
        return;
    }
    plan.enter(*team.shared);
    std::vector<typed_buffer> shown(blocks.begin(), blocks.end());
    bool shows = false;
    for (int rank = 0; rank < team.size; ++rank) {
        if (rank != root && !posted(at(blocks, rank))) {
            shown[static_cast<std::size_t>(rank)] = for_others(plan, team, at(blocks, rank), false);
            shows = true;
        }
    }
    if (shows) {
        plan.show({{}, {}, plan.keep_blocks(shown)});
    }
    plan.copy(own, at(blocks, root));
    for (int distance = 1; distance < team.size; ++distance) {
        const int peer = after(team, distance);
        if (posted(at(blocks, peer))) {
            plan.await_posts(peer, peer + 1);
            plan.take(peer, 0, at(blocks, peer).bytes(), at(blocks, peer));
        } else {
            plan.await_finished(peer, peer + 1);
            take_back(plan, at(shown, peer), at(blocks, peer));
        }
    }
    plan.finish(false);
}

void direct_scatter(schedule &plan, const team &team, std::span<const typed_buffer> blocks,
                    const typed_buffer &own, int root) {
    if (team.rank != root) {
        plan.enter(*team.shared);
        plan.await_posts(root, root + 1);
        plan.fetch(root, own);
        plan.finish(true);
        return;
    }
    const bool shows = offer(plan, team, blocks);
    plan.copy(at(blocks, root), own);
    plan.finish(true);
    if (shows) {
        plan.await_finished(0, team.size);
    }
}

void direct_allgather(schedule &plan, const team &team, const typed_buffer &own,
                      std::span<const typed_buffer> blocks) {
    show(plan, team, {for_others(plan, team, own, true), {}, nullptr});
    plan.copy(own, at(blocks, team.rank));
    for (int distance = 1; distance < team.size; ++distance) {
        const int peer = after(team, distance);
        plan.await_posts(peer, peer + 1);
        plan.read(peer, card_part::whole, 0, at(blocks, peer).bytes(), at(blocks, peer));
    }
    finish_all(plan, team);
}

void direct_alltoall(schedule &plan, const team &team, std::span<const typed_buffer> send,
                     std::span<const typed_buffer> receive) {
    const bool shows = offer(plan, team, send);
    plan.copy(at(send, team.rank), at(receive, team.rank));
    for (int distance = 1; distance < team.size; ++distance) {
        const int peer = after(team, distance);
        plan.await_posts(peer, peer + 1);
        plan.fetch(peer, at(receive, peer));
    }
    plan.finish(true);
    if (shows) {
        plan.await_finished(0, team.size);
    }
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
