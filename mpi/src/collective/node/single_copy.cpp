// SPDX-License-Identifier: Apache-2.0
#include "collective/node/single_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/caches.hpp"
#include "collective/area/long_data.hpp"

namespace lisle::collective {

namespace {

// From this size on the root copies a part of the data, too: below, that costs more than it saves.
constexpr MPI_Count least_shared_copy = 32768;
constexpr MPI_Count least_shared_between = 131072; // between processes
// Up to this size blocks go by way of the area: where longer ones take calls of the kernel, and where they
// would take another hand-over.
constexpr MPI_Count most_posted_between = 16384;
constexpr MPI_Count most_posted_near = 1024;
// The same for all blocks of a rank together.
constexpr MPI_Count most_offered_between = pages::most;
constexpr MPI_Count most_offered_near = 4096;
// Shares of a copy begin at whole pages, so that no two ranks write one line.
constexpr MPI_Count share_unit = 4096;
// Shares of a reduction, in elements: a multiple of what fills a line of any type's.
constexpr MPI_Count slice_unit = 64;

template <class Plan> void expose(Plan &plan, const team &team, const buffer_descriptor &exposed) {
    plan.enter(*team.shared);
    plan.expose(exposed);
}

/// Nobody uses the others' buffers after that.
template <class Plan> void finish_all(Plan &plan, const team &team) {
    plan.finish(true);
    plan.await_finished(0, team.size);
}

/// A buffer as others can use it: in one piece if they live in other processes. @param fill with its data
template <class Plan>
typed_buffer for_others(Plan &plan, const team &team, const typed_buffer &buffer, bool fill) {
    return team.shared->members().one_process() ? buffer : as_bytes(plan, buffer, fill);
}

/// The same for all blocks, or for those that `wanted(rank)` says.
template <class Plan, class Wanted> std::vector<typed_buffer>
for_others(Plan &plan, const team &team, const block_view &blocks, bool fill, Wanted wanted) {
    std::vector<typed_buffer> exposed;
    for (int rank = 0; rank < team.size; ++rank) {
        exposed.push_back(wanted(rank) ? for_others(plan, team, blocks[rank], fill) : blocks[rank]);
    }
    return exposed;
}

/// What others have written, where it belongs. @pre they have finished
template <class Plan> void take_back(Plan &plan, const typed_buffer &exposed, const typed_buffer &buffer) {
    if (exposed.address != buffer.address) {
        plan.copy(exposed, buffer);
    }
}

/// The rank `distance` after the calling one.
int after(const team &team, int distance) noexcept {
    return static_cast<int>((std::int64_t{team.rank} + distance) % team.size);
}

/// Begins with room for so many bytes.
template <class Plan> void enter(Plan &plan, const team &team, MPI_Count bytes, bool posts = true) {
    plan.enter(*team.shared, team.shared->uses_pages() ? bytes : 0, posts);
}

/// The most bytes of a block that goes by way of the area although others may be too long for it. Both sides
/// know its size.
MPI_Count most_posted(const team &team) {
    return !team.shared->uses_pages()             ? rank_areas::most_in_slot
           : team.shared->members().one_process() ? most_posted_near
                                                  : most_posted_between;
}

/// How much of the data between it and another rank the root moves, so that it does as much as any other.
MPI_Count share_of_root(const team &team, MPI_Count bytes) noexcept {
    return bytes < (team.shared->members().one_process() ? least_shared_copy : least_shared_between)
               ? 0
               : bytes / team.size / share_unit * share_unit;
}

/// The end of a rank that the root moves data of if `shared`.
template <class Plan> void finish_and_await(Plan &plan, bool shared, int root) {
    plan.finish(true);
    if (shared) {
        plan.await_finished(root, root + 1);
    }
}

/// Whether the calling rank goes through its blocks from the last to the first: every other call does (see
/// long_data.hpp). Of two neighbours one begins with its own block and one ends with it: two calls of
/// the kernel that reach for each other's memory get in each other's way.
bool takes_own_last(const team &team) {
    return goes_backwards(team.shared->turns().next() + static_cast<std::uint64_t>(team.rank));
}

MPI_Count bytes_of(const block_view &blocks) {
    MPI_Count bytes = 0;
    for (int rank = 0; rank < blocks.size(); ++rank) {
        bytes += blocks[rank].bytes();
    }
    return bytes;
}

/// Leaves the caches alone if what all ranks give and take is more than they hold, as far as they are not
/// used by others. @param bytes what the calling one gives and takes: others move about as much
template <class Plan> void pass_caches_if_long(Plan &plan, const team &team, MPI_Count bytes) {
    if (bytes > static_cast<MPI_Count>(last_cache_bytes()) / 2 / team.size) {
        plan.pass_caches();
    }
}

/// Copies the calling rank's own block and what each other rank has for it, and ends.
/// @param exposed others may use this rank's buffers
template <class Plan, class Own, class Other>
void take_all(Plan &plan, const team &team, bool own_last, bool exposed, Own copy_own, Other take_of) {
    if (!own_last) {
        copy_own();
    }
    for (int step = 1; step < team.size; ++step) {
        const int peer = after(team, own_last ? team.size - step : step);
        plan.await_posts(peer, peer + 1);
        take_of(peer);
    }
    plan.finish(exposed);
    if (own_last) {
        copy_own();
    }
    if (exposed) {
        plan.await_finished(0, team.size);
    }
}

/// Posts a block for each other rank if all of them fit together, shows them otherwise: fetch steps find out.
/// True: they are exposed, so others must finish before they may change. @param in_parts see post_step
template <class Plan> bool offer(Plan &plan, const team &team, const block_view &blocks, bool in_parts) {
    const MPI_Count bytes = posts::bytes_together(blocks, team.rank);
    const MPI_Count most = team.shared->members().one_process() ? most_offered_near : most_offered_between;
    if (bytes <= (team.shared->uses_pages() ? most : rank_areas::most_in_slot)) {
        enter(plan, team, bytes);
        plan.post(blocks, in_parts);
        return false;
    }
    const auto exposed = for_others(plan, team, blocks, true, [](int) { return true; });
    enter(plan, team, pages::most);
    plan.expose({{}, {}, plan.keep_blocks(exposed)});
    return true;
}

struct slice {
    MPI_Count first, count;
};

/// The calling rank's share of `count` elements. @param favoured a rank with twice the share of others, or -1
slice slice_of(const team &team, MPI_Count count, int favoured) noexcept {
    const MPI_Count units = (count + slice_unit - 1) / slice_unit;
    const MPI_Count shares = team.size + (favoured >= 0 ? 1 : 0);
    const MPI_Count each = units / shares, more = units % shares;
    const auto begin = [&](MPI_Count rank) {
        const MPI_Count share = rank + (favoured >= 0 && rank > favoured ? 1 : 0);
        return std::min(count, (each * share + std::min(share, more)) * slice_unit);
    };
    const MPI_Count first = begin(team.rank);
    return {first, begin(team.rank + 1) - first};
}

/// Each rank reduces its slice.
template <class Plan> void reduce_by_slices(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive,
                                            result_place place, int root) {
    expose(plan, team, {send, receive, nullptr});
    plan.await_posts(0, team.size);
    // Between processes the root has what it reduces where it belongs, while others have to hand it over.
    const bool favours = place == result_place::one_member && !team.shared->members().one_process();
    const slice own = slice_of(team, send.count, favours ? root : -1);
    if (own.count > 0) {
        plan.reduce_peers(operation, place, root, own.first, {nullptr, own.count, *send.type});
    }
    finish_all(plan, team);
}

} // namespace

template <class Plan>
void single_copy_bcast::write(Plan &plan, const team &team, const typed_buffer &buffer, int root) {
    const MPI_Count bytes = buffer.bytes();
    const MPI_Count by_root = share_of_root(team, bytes);
    if (team.rank == root) {
        const typed_buffer exposed = for_others(plan, team, buffer, true);
        expose(plan, team, {exposed, {}, nullptr});
        if (by_root > 0) {
            for (int distance = 1; distance < team.size; ++distance) {
                const int peer = after(team, distance);
                plan.await_posts(peer, peer + 1);
                plan.write(peer, exposed_part::whole, bytes - by_root, by_root, exposed);
            }
        }
        finish_all(plan, team);
        return;
    }
    const typed_buffer exposed = by_root > 0 ? for_others(plan, team, buffer, false) : buffer;
    plan.enter(*team.shared);
    if (by_root > 0) {
        plan.expose({{}, exposed, nullptr});
    }
    plan.await_posts(root, root + 1);
    plan.read(root, exposed_part::whole, 0, bytes - by_root, exposed);
    finish_and_await(plan, by_root > 0, root);
    take_back(plan, exposed, buffer);
}

namespace {

/// What a rank does that is not the root of a gather.
template <class Plan> void give(Plan &plan, const team &team, const typed_buffer &own, int root) {
    const MPI_Count bytes = own.bytes();
    if (bytes <= most_posted(team)) {
        plan.enter(*team.shared, bytes);
        plan.post(own, root, true);
        plan.finish(false);
        return;
    }
    const MPI_Count by_root = share_of_root(team, bytes);
    const typed_buffer given = for_others(plan, team, own, true);
    enter(plan, team, 0);
    if (by_root > 0) {
        plan.expose({given, {}, nullptr});
    }
    plan.await_posts(root, root + 1);
    plan.write(root, exposed_part::block, 0, bytes - by_root, given);
    finish_and_await(plan, by_root > 0, root);
}

} // namespace

template <class Plan> void single_copy_gather::write(Plan &plan, const team &team, const typed_buffer &own,
                                                     const block_view &blocks, int root) {
    if (team.rank != root) {
        give(plan, team, own, root);
        return;
    }
    const MPI_Count most = most_posted(team);
    const auto is_exposed = [&](int rank) { return rank != root && blocks[rank].bytes() > most; };
    int first_exposed = 0;
    while (first_exposed < team.size && !is_exposed(first_exposed)) {
        ++first_exposed;
    }
    const bool exposes = first_exposed < team.size;
    std::vector<typed_buffer> list;
    if (exposes) {
        list = for_others(plan, team, blocks, false, is_exposed);
    }
    enter(plan, team, exposes ? pages::most : 0, exposes);
    if (exposes) {
        plan.expose({{}, {}, plan.keep_blocks(list)});
    }
    plan.copy(own, blocks[root]);
    plan.take_posts(blocks, most);
    if (!exposes) {
        plan.finish(false);
        return;
    }
    const block_view places{list};
    for (int distance = 1; distance < team.size; ++distance) {
        const int peer = after(team, distance);
        const MPI_Count bytes = blocks[peer].bytes();
        if (const MPI_Count by_root = share_of_root(team, bytes); is_exposed(peer) && by_root > 0) {
            plan.await_posts(peer, peer + 1);
            plan.read(peer, exposed_part::whole, bytes - by_root, by_root, places[peer]);
        }
    }
    plan.finish(true);
    for (int peer = first_exposed; peer < team.size; ++peer) {
        if (is_exposed(peer)) {
            plan.await_finished(peer, peer + 1);
            take_back(plan, places[peer], blocks[peer]);
        }
    }
}

template <class Plan> void single_copy_scatter::write(Plan &plan, const team &team, const block_view &blocks,
                                                      const typed_buffer &own, int root) {
    if (team.rank == root) {
        const bool exposes = offer(plan, team, blocks, true);
        plan.copy(blocks[root], own);
        plan.finish(exposes);
        if (exposes) {
            plan.await_finished(0, team.size);
        }
        return;
    }
    enter(plan, team, 0, false);
    plan.await_posts(root, root + 1);
    plan.fetch(root, own);
    plan.finish(false);
}

template <class Plan> void single_copy_allgather::write(Plan &plan, const team &team, const typed_buffer &own,
                                                        const block_view &blocks) {
    const bool own_last = takes_own_last(team);
    expose(plan, team, {for_others(plan, team, own, true), {}, nullptr});
    pass_caches_if_long(plan, team, own.bytes() + bytes_of(blocks));
    take_all(
        plan, team, own_last, true, [&] { plan.copy(own, blocks[team.rank]); },
        [&](int peer) { plan.read(peer, exposed_part::whole, 0, blocks[peer].bytes(), blocks[peer]); });
}

template <class Plan> void single_copy_alltoall::write(Plan &plan, const team &team, const block_view &send,
                                                       const block_view &receive) {
    const bool own_last = takes_own_last(team);
    const bool exposes = offer(plan, team, send, false);
    if (exposes) {
        pass_caches_if_long(plan, team, bytes_of(send) + bytes_of(receive));
    }
    take_all(
        plan, team, own_last && exposes, exposes, [&] { plan.copy(send[team.rank], receive[team.rank]); },
        [&](int peer) { plan.fetch(peer, receive[peer]); });
}

template <class Plan> void single_copy_reduce::write(Plan &plan, const team &team, const op &operation,
                                                     const typed_buffer &send, const typed_buffer &receive,
                                                     int root) {
    reduce_by_slices(plan, team, operation, send, receive, result_place::one_member, root);
}

template <class Plan> void single_copy_allreduce::write(Plan &plan, const team &team, const op &operation,
                                                        const typed_buffer &send,
                                                        const typed_buffer &receive) {
    reduce_by_slices(plan, team, operation, send, receive, result_place::everywhere, 0);
}

template <class Plan> void single_copy_reduce_scatter::write(Plan &plan, const team &team,
                                                             const op &operation, const typed_buffer &send,
                                                             const typed_buffer &receive,
                                                             std::span<const MPI_Count> counts) {
    const MPI_Count first = std::accumulate(counts.begin(), counts.begin() + team.rank, MPI_Count{0});
    // In place the result lies where others still read.
    const bool in_place = send.address == receive.address;
    const typed_buffer result = in_place ? plan.temporary(receive.count, *receive.type) : receive;
    expose(plan, team, {send, {}, nullptr});
    plan.await_posts(0, team.size);
    if (receive.count > 0) {
        plan.reduce_peers(operation, result_place::here, team.rank, first, result);
    }
    finish_all(plan, team);
    if (in_place) {
        plan.copy(result, receive);
    }
}

template <class Plan> void single_copy_scan::write(Plan &plan, const team &team, const op &operation,
                                                   const typed_buffer &send, const typed_buffer &receive) {
    reduce_by_slices(plan, team, operation, send, receive, result_place::prefixes, 0);
}

template <class Plan> void single_copy_exscan::write(Plan &plan, const team &team, const op &operation,
                                                     const typed_buffer &send, const typed_buffer &receive) {
    reduce_by_slices(plan, team, operation, send, receive, result_place::prefixes_before, 0);
}

template void single_copy_bcast::write(schedule &, const team &, const typed_buffer &, int);
template void single_copy_bcast::write(immediate_steps &, const team &, const typed_buffer &, int);
template void single_copy_gather::write(schedule &, const team &, const typed_buffer &, const block_view &,
                                        int);
template void single_copy_gather::write(immediate_steps &, const team &, const typed_buffer &,
                                        const block_view &, int);
template void single_copy_scatter::write(schedule &, const team &, const block_view &, const typed_buffer &,
                                         int);
template void single_copy_scatter::write(immediate_steps &, const team &, const block_view &,
                                         const typed_buffer &, int);
template void single_copy_allgather::write(schedule &, const team &, const typed_buffer &,
                                           const block_view &);
template void single_copy_allgather::write(immediate_steps &, const team &, const typed_buffer &,
                                           const block_view &);
template void single_copy_alltoall::write(schedule &, const team &, const block_view &, const block_view &);
template void single_copy_alltoall::write(immediate_steps &, const team &, const block_view &,
                                          const block_view &);
template void single_copy_reduce::write(schedule &, const team &, const op &, const typed_buffer &,
                                        const typed_buffer &, int);
template void single_copy_reduce::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                        const typed_buffer &, int);
template void single_copy_allreduce::write(schedule &, const team &, const op &, const typed_buffer &,
                                           const typed_buffer &);
template void single_copy_allreduce::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                           const typed_buffer &);
template void single_copy_reduce_scatter::write(schedule &, const team &, const op &, const typed_buffer &,
                                                const typed_buffer &, std::span<const MPI_Count>);
template void single_copy_reduce_scatter::write(immediate_steps &, const team &, const op &,
                                                const typed_buffer &, const typed_buffer &,
                                                std::span<const MPI_Count>);
template void single_copy_scan::write(schedule &, const team &, const op &, const typed_buffer &,
                                      const typed_buffer &);
template void single_copy_scan::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                      const typed_buffer &);
template void single_copy_exscan::write(schedule &, const team &, const op &, const typed_buffer &,
                                        const typed_buffer &);
template void single_copy_exscan::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                        const typed_buffer &);

} // namespace lisle::collective
