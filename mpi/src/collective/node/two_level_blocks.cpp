// SPDX-License-Identifier: Apache-2.0
// The two-level algorithms that move a block for each rank. Between places the blocks of a place travel
// together, packed, in the order of its ranks.
#include <algorithm>

#include "collective/algorithms/allgather.hpp"
#include "collective/node/two_level.hpp"
#include "collective/node/within_place.hpp"

namespace lisle::collective {

namespace {

/// The blocks of a place's ranks, where they belong.
std::vector<typed_buffer> blocks_of(const two_levels &ranks, int place, const block_view &blocks) {
    std::vector<typed_buffer> found;
    for (const int rank : ranks.places().ranks_of(place)) {
        found.push_back(blocks[rank]);
    }
    return found;
}

/// The pieces of packed memory that hold so many equal blocks.
std::vector<typed_buffer> cut(const typed_buffer &packed, std::size_t blocks, MPI_Count each) {
    std::vector<typed_buffer> found;
    for (MPI_Count i = 0; i < static_cast<MPI_Count>(blocks); ++i) {
        found.push_back(part(packed, i * each, each));
    }
    return found;
}

/// Calls `move(place, its ranks, packed memory for their blocks)` for each place but the root's, at the root.
template <class Move>
void for_other_places(schedule &plan, const two_levels &ranks, MPI_Count each, Move move) {
    for (int place = 0; place < ranks.places().places(); ++place) {
        if (place != ranks.root_place()) {
            const std::vector<int> &near = ranks.places().ranks_of(place);
            move(place, near, plan.packed(static_cast<MPI_Count>(near.size()) * each));
        }
    }
}

} // namespace

void two_level_gather(schedule &plan, const two_levels &ranks, const typed_buffer &own,
                      const block_view &blocks) {
    const MPI_Count each = own.bytes();
    const auto near = static_cast<std::size_t>(ranks.within().size);
    if (ranks.place() != ranks.root_place()) {
        const typed_buffer packed =
            ranks.leads() ? plan.packed(static_cast<MPI_Count>(near) * each) : nothing();
        const auto places = ranks.leads() ? cut(packed, near, each) : std::vector<typed_buffer>{};
        gather_within(plan, ranks, own, block_view{places}, each);
        if (ranks.leads()) {
            plan.send(packed, ranks.leaders(), ranks.root_place());
        }
        return;
    }
    struct arriving {
        const std::vector<int> *ranks;
        typed_buffer packed;
    };
    std::vector<arriving> others;
    if (ranks.leads()) {
        for_other_places(plan, ranks, each,
                         [&](int place, const std::vector<int> &members, const typed_buffer &packed) {
                             plan.receive(packed, ranks.leaders(), place);
                             others.push_back({&members, packed});
                         });
    }
    const auto places = ranks.leads() ? blocks_of(ranks, ranks.place(), blocks) : std::vector<typed_buffer>{};
    gather_within(plan, ranks, own, block_view{places}, each);
    plan.await_all();
    for (const arriving &from : others) {
        const auto pieces = cut(from.packed, from.ranks->size(), each);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            plan.copy(pieces[i], blocks[(*from.ranks)[i]]);
        }
    }
}

void two_level_scatter(schedule &plan, const two_levels &ranks, const block_view &blocks,
                       const typed_buffer &own) {
    const MPI_Count each = own.bytes();
    const auto near = static_cast<std::size_t>(ranks.within().size);
    std::vector<typed_buffer> pieces;
    if (ranks.leads() && ranks.place() == ranks.root_place()) {
        for_other_places(plan, ranks, each,
                         [&](int place, const std::vector<int> &members, const typed_buffer &packed) {
                             const auto parts = cut(packed, members.size(), each);
                             for (std::size_t i = 0; i < parts.size(); ++i) {
                                 plan.copy(blocks[members[i]], parts[i]);
                             }
                             plan.send(packed, ranks.leaders(), place);
                         });
        pieces = blocks_of(ranks, ranks.place(), blocks);
    } else if (ranks.leads()) {
        const typed_buffer packed = plan.packed(static_cast<MPI_Count>(near) * each);
        plan.await(plan.receive(packed, ranks.leaders(), ranks.root_place()));
        pieces = cut(packed, near, each);
    }
    scatter_within(plan, ranks, block_view{pieces}, own, each, true);
}

void two_level_allgather(schedule &plan, const two_levels &ranks, const typed_buffer &own,
                         const block_view &blocks) {
    // All blocks packed, place after place.
    const hierarchy &places = ranks.places();
    MPI_Count all = 0, longest = 0;
    for (int rank = 0; rank < blocks.size(); ++rank) {
        all += blocks[rank].bytes();
        longest = std::max(longest, blocks[rank].bytes());
    }
    const typed_buffer packed = plan.packed(all);
    std::vector<typed_buffer> of_places, of_ranks(static_cast<std::size_t>(blocks.size()));
    MPI_Count end = 0;
    for (int place = 0; place < places.places(); ++place) {
        const MPI_Count begin = end;
        for (const int rank : places.ranks_of(place)) {
            const MPI_Count bytes = blocks[rank].bytes();
            of_ranks[static_cast<std::size_t>(rank)] = part(packed, end, bytes);
            end += bytes;
        }
        of_places.push_back(part(packed, begin, end - begin));
    }
    const auto near =
        ranks.leads() ? blocks_of(ranks, ranks.place(), block_view{of_ranks}) : std::vector<typed_buffer>{};
    gather_within(plan, ranks, own, block_view{near}, longest);
    if (ranks.leads()) {
        allgather_ring(plan, ranks.leaders(), of_places[static_cast<std::size_t>(ranks.place())],
                       block_view{of_places});
        plan.await_all();
    }
    bcast_within(plan, ranks, packed);
    for (int rank = 0; rank < blocks.size(); ++rank) {
        plan.copy(of_ranks[static_cast<std::size_t>(rank)], blocks[rank]);
    }
}

} // namespace lisle::collective
