// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/version1.hpp"

#include <algorithm>

namespace lisle::tile::rmpi {

version1::list::iterator version1::find(list &in, int tag, int context) {
    cycle steps = 0;
    const auto found = std::find_if(in.begin(), in.end(), [&](const unexpected_message &kept) {
        ++steps;
        return (tag == any || kept.of.tag == tag) && kept.of.context == context;
    });
    counts_.list_steps += steps;
    here_.work(here_.costs().step_cycles * steps);
    return found;
}

bool version1::take(list &in, int tag, int context, std::span<word> into, receive_status &status) {
    const auto found = find(in, tag, context);
    if (found == in.end() || found->left != 0) {
        return false;
    }
    status = {found->of.source, found->of.tag, found->of.words, found->of.words > into.size()};
    copy(found->words, into);
    in.erase(found);
    return true;
}

receive_status version1::receive(int from, int tag, int context, std::span<word> into) {
    const in_phase booked{here_, phase::library};
    here_.work(here_.costs().call_cycles);
    receive_status status;
    for (;;) {
        if (from != any) {
            if (take(lists_[static_cast<std::size_t>(from)], tag, context, into, status)) {
                return status;
            }
        } else if (std::any_of(lists_.begin(), lists_.end(),
                               [&](auto &each) { return take(each.second, tag, context, into, status); })) {
            return status;
        }
        read_packet(tile_of(from));
    }
}

/// Waits for a packet and reads all of it. Its header does not say whether it is a message's first: it is if
/// no message from this source with this tag is incomplete.
void version1::read_packet(int awaited) {
    const in_phase booked{here_, phase::receive};
    const cycle each = here_.costs().receive_word_cycles;
    std::array<word, 3> rest;
    std::array<word, 2> pair;
    here_.receive(pair, each, awaited);
    list &in = lists_[pair[0]];
    const int tag = static_cast<int>(pair[1]);
    auto into = std::find_if(in.begin(), in.end(), [&](const unexpected_message &kept) {
        return kept.left != 0 && kept.of.tag == tag;
    });
    std::int64_t payload = 0;
    if (into == in.end()) {
        here_.receive(rest, each);
        const envelope of{static_cast<int>(pair[0]), tag, static_cast<int>(rest[2]), rest[0]};
        into = in.insert(in.end(), {of, std::vector<word>(of.words), of.words, false});
        payload = format_.first_payload(of.words);
    } else {
        payload = format_.next_payload(into->left);
    }
    here_.receive(
        std::span(into->words).subspan(into->of.words - into->left, static_cast<std::size_t>(payload)), each);
    into->left -= static_cast<std::uint32_t>(payload);
}

void version1::keep_own(const envelope &of, std::span<const word> payload) {
    lists_[static_cast<std::size_t>(rank_)].push_back({of, {payload.begin(), payload.end()}, 0, false});
    here_.work(here_.costs().copy_word_cycles * of.words);
}

} // namespace lisle::tile::rmpi
