// SPDX-License-Identifier: Apache-2.0
#include "collective/node/slot_algorithms.hpp"

#include <numeric>

namespace lisle::collective {

namespace {

/// The blocks for all ranks but the calling one, one after the other in one piece of memory.
template <class Plan> typed_buffer together(Plan &plan, const team &team, const block_view &blocks) {
    if (team.size == 2) {
        return blocks[1 - team.rank];
    }
    const MPI_Count each = blocks[0].bytes();
    const typed_buffer packed = plan.packed((team.size - 1) * each);
    for (int rank = 0, place = 0; rank < team.size; ++rank) {
        if (rank != team.rank) {
            plan.copy(blocks[rank], part(packed, place++ * each, each));
        }
    }
    return packed;
}

/// Takes what `peer` has put together for the calling rank. @param each the bytes of each block
template <class Plan>
void take_own(Plan &plan, const team &team, int peer, MPI_Count each, const typed_buffer &to) {
    const MPI_Count place = team.rank < peer ? team.rank : team.rank - 1;
    plan.take(peer, place * each, (team.size - 1) * each, to);
}

template <class Plan> void post_and_await_all(Plan &plan, const team &team, const typed_buffer &data) {
    plan.enter(*team.shared, data.bytes());
    plan.post(data);
    plan.await_posts(0, team.size);
}

/// The same, and what the calling rank has for itself is copied while the others come.
template <class Plan> void post_and_await_all(Plan &plan, const team &team, const typed_buffer &data,
                                              const typed_buffer &own, const typed_buffer &to) {
    plan.enter(*team.shared, data.bytes());
    plan.post(data);
    plan.copy(own, to);
    plan.await_posts(0, team.size);
}

} // namespace

template <class Plan> void slot_barrier::write(Plan &plan, const team &team) {
    post_and_await_all(plan, team, nothing());
    plan.finish(false);
}

template <class Plan>
void slot_bcast::write(Plan &plan, const team &team, const typed_buffer &buffer, int root) {
    // Nothing comes back, so the root may run ahead: by many calls if the data fit a small slot.
    plan.enter(*team.shared, buffer.bytes(), team.rank == root, true);
    if (team.rank == root) {
        plan.post(buffer, area_members::everyone, true);
    } else {
        plan.take_post(root, buffer);
    }
    plan.finish(false);
}

template <class Plan> void slot_gather::write(Plan &plan, const team &team, const typed_buffer &own,
                                              const block_view &blocks, int root) {
    plan.enter(*team.shared, own.bytes(), team.rank != root);
    if (team.rank != root) {
        plan.post(own, root, true);
    } else {
        plan.copy(own, blocks[root]); // while the others come
        plan.take_posts(blocks, pages::most);
    }
    plan.finish(false);
}

template <class Plan> void slot_scatter::write(Plan &plan, const team &team, const block_view &blocks,
                                               const typed_buffer &own, int root) {
    if (team.rank == root) {
        const typed_buffer all = together(plan, team, blocks);
        plan.enter(*team.shared, all.bytes());
        plan.post(all, area_members::everyone, true);
        plan.copy(blocks[root], own);
    } else {
        plan.enter(*team.shared, (team.size - 1) * own.bytes(), false);
        plan.await_posts(root, root + 1);
        take_own(plan, team, root, own.bytes(), own);
    }
    plan.finish(false);
}

template <class Plan>
void slot_allgather::write(Plan &plan, const team &team, const typed_buffer &own, const block_view &blocks) {
    plan.enter(*team.shared, own.bytes());
    plan.post(own);
    plan.copy(own, blocks[team.rank]); // while the others come
    plan.take_posts(blocks, pages::most);
    plan.finish(false);
}

template <class Plan>
void slot_alltoall::write(Plan &plan, const team &team, const block_view &send, const block_view &receive) {
    post_and_await_all(plan, team, together(plan, team, send), send[team.rank], receive[team.rank]);
    for (int peer = 0; peer < team.size; ++peer) {
        if (peer != team.rank) {
            take_own(plan, team, peer, receive[peer].bytes(), receive[peer]);
        }
    }
    plan.finish(false);
}

template <class Plan> void slot_reduce::write(Plan &plan, const team &team, const op &operation,
                                              const typed_buffer &send, const typed_buffer &receive,
                                              int root) {
    plan.enter(*team.shared, send.bytes());
    plan.post(send, root);
    if (team.rank == root) {
        plan.await_posts(0, team.size);
        plan.reduce_posts(operation, 0, team.size, 0, send.bytes(), receive);
    }
    plan.finish(false);
}

template <class Plan> void slot_allreduce::write(Plan &plan, const team &team, const op &operation,
                                                 const typed_buffer &send, const typed_buffer &receive) {
    post_and_await_all(plan, team, send);
    plan.reduce_posts(operation, 0, team.size, 0, send.bytes(), receive);
    plan.finish(false);
}

template <class Plan> void slot_reduce_scatter::write(Plan &plan, const team &team, const op &operation,
                                                      const typed_buffer &send, const typed_buffer &receive,
                                                      std::span<const MPI_Count> counts) {
    const MPI_Count before = std::accumulate(counts.begin(), counts.begin() + team.rank, MPI_Count{0});
    post_and_await_all(plan, team, send);
    plan.reduce_posts(operation, 0, team.size, before * send.type->size(), send.bytes(), receive,
                      operation.commutative() ? pairing::far_first : pairing::near_first);
    plan.finish(false);
}

template <class Plan> void slot_scan::write(Plan &plan, const team &team, const op &operation,
                                            const typed_buffer &send, const typed_buffer &receive) {
    const bool posts = team.rank + 1 < team.size; // else it is of use to nobody
    plan.enter(*team.shared, send.bytes(), posts, true);
    if (posts) {
        plan.post(send);
    }
    plan.copy(send, receive);
    if (team.rank > 0) {
        plan.await_posts(0, team.rank);
        plan.reduce_posts(operation, 0, team.rank, 0, send.bytes(), receive, pairing::none);
    }
    plan.finish(false);
}

template <class Plan> void slot_exscan::write(Plan &plan, const team &team, const op &operation,
                                              const typed_buffer &send, const typed_buffer &receive) {
    const bool posts = team.rank + 1 < team.size;
    plan.enter(*team.shared, send.bytes(), posts, true);
    if (posts) {
        plan.post(send);
    }
    if (team.rank > 0) {
        plan.await_posts(0, team.rank);
        plan.reduce_posts(operation, 0, team.rank, 0, send.bytes(), receive);
    }
    plan.finish(false);
}

template void slot_barrier::write(schedule &, const team &);
template void slot_barrier::write(immediate_steps &, const team &);
template void slot_bcast::write(schedule &, const team &, const typed_buffer &, int);
template void slot_bcast::write(immediate_steps &, const team &, const typed_buffer &, int);
template void slot_gather::write(schedule &, const team &, const typed_buffer &, const block_view &, int);
template void slot_gather::write(immediate_steps &, const team &, const typed_buffer &, const block_view &,
                                 int);
template void slot_scatter::write(schedule &, const team &, const block_view &, const typed_buffer &, int);
template void slot_scatter::write(immediate_steps &, const team &, const block_view &, const typed_buffer &,
                                  int);
template void slot_allgather::write(schedule &, const team &, const typed_buffer &, const block_view &);
template void slot_allgather::write(immediate_steps &, const team &, const typed_buffer &,
                                    const block_view &);
template void slot_alltoall::write(schedule &, const team &, const block_view &, const block_view &);
template void slot_alltoall::write(immediate_steps &, const team &, const block_view &, const block_view &);
template void slot_reduce::write(schedule &, const team &, const op &, const typed_buffer &,
                                 const typed_buffer &, int);
template void slot_reduce::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                 const typed_buffer &, int);
template void slot_allreduce::write(schedule &, const team &, const op &, const typed_buffer &,
                                    const typed_buffer &);
template void slot_allreduce::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                    const typed_buffer &);
template void slot_reduce_scatter::write(schedule &, const team &, const op &, const typed_buffer &,
                                         const typed_buffer &, std::span<const MPI_Count>);
template void slot_reduce_scatter::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                         const typed_buffer &, std::span<const MPI_Count>);
template void slot_scan::write(schedule &, const team &, const op &, const typed_buffer &,
                               const typed_buffer &);
template void slot_scan::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                               const typed_buffer &);
template void slot_exscan::write(schedule &, const team &, const op &, const typed_buffer &,
                                 const typed_buffer &);
template void slot_exscan::write(immediate_steps &, const team &, const op &, const typed_buffer &,
                                 const typed_buffer &);

} // namespace lisle::collective
