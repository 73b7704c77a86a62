// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/immediate_steps.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "collective/steps/peer_buffer.hpp"

namespace lisle::collective {

void immediate_steps::reduce_peers(const op &operation, result_place place, int member, MPI_Count first,
                                   const typed_buffer &to) {
    const MPI_Count elements = scratch_elements(where_, to.count, *to.type);
    take_for_certain(
        reduce_peers_step{&operation, to, temporary(elements, *to.type).address, first, member, place});
}

void immediate_steps::take_posts(const block_view &blocks, MPI_Count most) {
    // As many lines as a core can wait for: they come while the first ones are used.
    constexpr int fetched_ahead = 10;
    const int ranks = blocks.size();
    for (int peer = 0; peer < std::min(ranks, fetched_ahead); ++peer) {
        where_.posts().fetch(local_.number(), peer);
    }
    for (int peer = 0; peer < ranks; ++peer) {
        if (peer + fetched_ahead < ranks) {
            where_.posts().fetch(local_.number(), peer + fetched_ahead);
        }
        if (const typed_buffer block = blocks[peer];
            block.bytes() <= most && peer != where_.members().self()) {
            for_certain([&] { return local_.take_post(peer, block); });
        }
    }
}

void immediate_steps::complain() const {
    fail(local_.error(), local_.describe());
}

} // namespace lisle::collective
