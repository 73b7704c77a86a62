// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/endpoint.hpp"

#include <algorithm>

namespace lisle::tile::rmpi {

void send_packet(core &here, int to_tile, std::span<const word> header, std::span<const word> payload,
                 cycle each, bool whole) {
    std::array<word, 1 + most_payload_words> words;
    const auto length = static_cast<int>(header.size() + payload.size());
    words[0] = make_header(here.shape(), to_tile, length);
    const auto end =
        std::copy(payload.begin(), payload.end(), std::copy(header.begin(), header.end(), words.begin() + 1));
    here.send({words.begin(), end}, each, whole);
}

void endpoint::send(int to, int tag, int context, std::span<const word> payload) {
    const in_phase booked{here_, phase::library};
    const parameters &costs = here_.costs();
    here_.work(costs.call_cycles);
    const envelope of{rank_, tag, context, static_cast<std::uint32_t>(payload.size())};
    if (to == rank_) {
        keep_own(of, payload);
        return;
    }
    const in_phase sending{here_, phase::send};
    const int tile = tile_of(to);
    here_.work(costs.packet_cycles);
    const auto first = static_cast<std::size_t>(format_.first_payload(of.words));
    send_packet(here_, tile, make_first_header(format_, of).view(), payload.first(first),
                costs.send_word_cycles);
    for (auto rest = payload.subspan(first); !rest.empty();) {
        const auto some = static_cast<std::size_t>(format_.next_payload(static_cast<int>(rest.size())));
        here_.work(costs.packet_cycles);
        send_packet(here_, tile, make_next_header(format_, of, static_cast<int>(some)).view(),
                    rest.first(some), costs.send_word_cycles);
        rest = rest.subspan(some);
    }
}

void endpoint::copy(std::span<const word> from, std::span<word> to) {
    const std::size_t words = std::min(from.size(), to.size());
    std::copy_n(from.begin(), words, to.begin());
    here_.work(here_.costs().copy_word_cycles * static_cast<cycle>(words));
    ++counts_.copies;
}

} // namespace lisle::tile::rmpi
