// SPDX-License-Identifier: Apache-2.0
#include "collective/node/at_once.hpp"

#include <algorithm>

#include "collective/node/shown.hpp"
#include "base/error.hpp"

namespace lisle::collective {

void at_once::reduce_shown(const op &operation, result_place place, int member, MPI_Count first,
                           const typed_buffer &to) {
    const MPI_Count elements = shown_elements(where_, to.count, *to.type);
    local_.take(
        reduce_shown_step{&operation, to, temporary(elements, *to.type).address, first, member, place});
}

void at_once::take_posts(const block_view &blocks, MPI_Count most) {
    // As many lines as a core can wait for: they come while the first ones are used.
    constexpr int fetched_ahead = 10;
    const int ranks = blocks.size();
    for (int peer = 0; peer < std::min(ranks, fetched_ahead); ++peer) {
        where_.fetch_post(local_.number(), peer);
    }
    for (int peer = 0; peer < ranks; ++peer) {
        if (peer + fetched_ahead < ranks) {
            where_.fetch_post(local_.number(), peer + fetched_ahead);
        }
        if (const typed_buffer block = blocks[peer]; block.bytes() <= most && peer != where_.self()) {
            local_.take_post(peer, block);
        }
    }
}

void at_once::complain() const {
    fail(local_.error(), local_.describe());
}

} // namespace lisle::collective
