// SPDX-License-Identifier: Apache-2.0
#include "fabric/tile/tile_carrier.hpp"

#include <algorithm>
#include <utility>

#include "tile/rmpi/endpoint.hpp"

namespace lisle::fabric {

using tile::word;

namespace {

constexpr int packets_to_send = 4; // that a rank may have under way
constexpr int packets_kept = 8;    // by a receiver, besides one of each sender

constexpr word first_mark = word{1} << 31;
constexpr std::size_t first_words = tile::most_payload_words - 2; ///< of data in a packet's first part
constexpr std::size_t next_words = tile::most_payload_words - 1;

constexpr std::size_t words_for(std::size_t bytes) noexcept {
    return (bytes + sizeof(word) - 1) / sizeof(word);
}

} // namespace

tile_carrier::tile_carrier(const tile::parameters &machine, std::vector<int> tiles,
                           std::size_t largest_packet, std::function<void(int)> notify)
    : tiles_{std::move(tiles)}, packet_words_{words_for(largest_packet)},
      rank_of_tile_(static_cast<std::size_t>(machine.tiles()), -1), notify_{std::move(notify)}, array_{
                                                                                                    machine} {
    for (int rank = 0; rank < static_cast<int>(tiles_.size()); ++rank) {
        rank_of_tile_[static_cast<std::size_t>(tiles_[static_cast<std::size_t>(rank)])] = rank;
        stations_.push_back(std::make_unique<station>(*this, rank));
        station &here = *stations_.back();
        for (int i = 0; i < packets_to_send; ++i) {
            here.to_send.push_back(make_buffer(here));
        }
    }
    array_.begin([this](tile::core &here) { run_core(here); });
}

tile_carrier::~tile_carrier() = default;

tile_carrier::packet *tile_carrier::make_buffer(station &owner) const {
    owner.buffers.push_back(std::make_unique<packet>());
    owner.buffers.back()->owner = owner.rank;
    owner.buffers.back()->data.resize(packet_words_);
    return owner.buffers.back().get();
}

tile_carrier::packet *tile_carrier::claim(int rank) {
    std::vector<packet *> &free = at(rank).to_send;
    if (free.empty()) {
        return nullptr;
    }
    packet *const claimed = free.back();
    free.pop_back();
    return claimed;
}

void tile_carrier::send(int rank, packet *filled) {
    at(rank).tasks.push_back({filled, 0});
    array_.model().wake(tiles_[static_cast<std::size_t>(rank)]);
}

void tile_carrier::work(int rank, tile::cycle cycles) {
    at(rank).tasks.push_back({nullptr, cycles});
    array_.model().wake(tiles_[static_cast<std::size_t>(rank)]);
}

tile_carrier::packet *tile_carrier::arrived(int rank) noexcept {
    const station &here = at(rank);
    const bool may = here.tasks.empty() || here.held;
    return may && !here.inbox.empty() ? here.inbox.front() : nullptr;
}

void tile_carrier::release(int rank) {
    station &here = at(rank);
    packet *const taken = here.inbox.front();
    here.inbox.pop_front();
    if (taken->peer == rank) {
        here.to_send.push_back(taken);
        return;
    }
    here.to_receive.push_back(taken);
    here.more -= --here.kept[taken->peer] > 0 ? 1 : 0;
    if (std::exchange(here.held, false)) {
        here.core->hold_interrupts(false);
    }
}

bool tile_carrier::advance() {
    notified_ = false;
    while (!notified_) {
        if (!array_.advance()) {
            return notified_;
        }
    }
    return true;
}

void tile_carrier::run_core(tile::core &here) {
    const int rank = rank_of_tile_[static_cast<std::size_t>(here.tile())];
    if (rank < 0) {
        return;
    }
    station &own = at(rank);
    own.core = &here;
    here.set_handler(&own);
    for (;;) {
        if (own.tasks.empty()) {
            here.pause();
            continue;
        }
        const task next = own.tasks.front();
        if (next.sent != nullptr && next.sent->peer == rank) {
            here.work(here.costs().copy_word_cycles * static_cast<tile::cycle>(words_for(next.sent->bytes)));
            own.inbox.push_back(next.sent); // past the network
        } else if (next.sent != nullptr) {
            send_on_mesh(here, rank, *next.sent);
            own.to_send.push_back(next.sent);
        } else {
            here.work(next.cycles);
        }
        own.tasks.pop_front();
        notify(rank);
    }
}

void tile_carrier::send_on_mesh(tile::core &here, int rank, const packet &sent) {
    const tile::in_phase booked{here, tile::phase::send};
    const tile::parameters &costs = here.costs();
    const int to = tiles_[static_cast<std::size_t>(sent.peer)];
    std::span<const word> rest{sent.data.data(), words_for(sent.bytes)};
    const word first[] = {first_mark | static_cast<word>(rank), static_cast<word>(sent.bytes)};
    const word next[] = {static_cast<word>(rank)};
    std::span<const word> header = first;
    std::size_t most = first_words;
    do {
        const std::size_t some = std::min(most, rest.size());
        here.work(costs.packet_cycles);
        tile::rmpi::send_packet(here, to, header, rest.first(some), costs.send_word_cycles);
        rest = rest.subspan(some);
        header = next;
        most = next_words;
    } while (!rest.empty());
}

void tile_carrier::station::words_arrived(tile::core &here) {
    while (here.waiting() != 0) {
        if (reading != nullptr) {
            read_data(here);
        } else {
            read_header(here);
        }
        if (held) {
            return;
        }
    }
}

void tile_carrier::station::read_header(tile::core &here) {
    // The first word says whether there is a second one.
    const std::size_t words = header_read != 0 && (header[0] & first_mark) != 0 ? 2 : 1;
    header_read += here.receive_waiting(std::span(header).subspan(header_read, words - header_read),
                                        here.costs().receive_word_cycles);
    const bool first = (header[0] & first_mark) != 0;
    if (header_read < (first ? 2U : 1U)) {
        return;
    }
    sender = static_cast<int>(header[0] & ~first_mark);
    if (place_data(here)) {
        header_read = 0;
        return;
    }
    held = true;
    here.hold_interrupts(true);
    carrier.notify(rank);
}

bool tile_carrier::station::place_data(tile::core &here) {
    const bool first = (header[0] & first_mark) != 0;
    if (first) {
        int &of_sender = kept[sender];
        if (of_sender > 0 && more == packets_kept) {
            return false;
        }
        if (to_receive.empty()) {
            to_receive.push_back(carrier.make_buffer(*this));
            here.work(here.costs().allocate_cycles);
        }
        more += of_sender > 0 ? 1 : 0;
        ++of_sender;
        packet *const begun = to_receive.back();
        to_receive.pop_back();
        begun->peer = sender;
        begun->bytes = header[1];
        open[sender] = {begun, 0};
    }
    reading = &open[sender];
    const std::size_t missing = words_for(reading->into->bytes) - reading->words;
    left = std::min(missing, first ? first_words : next_words);
    return true;
}

void tile_carrier::station::read_data(tile::core &here) {
    const auto place = std::span(reading->into->data).subspan(reading->words, left);
    const std::size_t read = here.receive_waiting(place, here.costs().receive_word_cycles);
    reading->words += read;
    left -= read;
    if (left != 0) {
        return;
    }
    packet *const into = reading->into;
    if (std::exchange(reading, nullptr)->words == words_for(into->bytes)) {
        open.erase(sender);
        inbox.push_back(into);
        carrier.notify(rank);
    }
}

} // namespace lisle::fabric
