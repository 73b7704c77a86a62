// SPDX-License-Identifier: Apache-2.0
#include "tile/fabric/tile_carrier.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tile/rmpi/endpoint.hpp"

namespace lisle::fabric {

using tile::word;

namespace {

constexpr int packets_to_send = 4; // that a rank may have under way
constexpr int packets_kept = 8;    // by a receiver, besides one of each sender

constexpr int buffers_at_first = 2; // of a receiver; it makes more when they are needed

} // namespace

tile_carrier::tile_carrier(const tile::parameters &machine, std::vector<int> tiles,
                           std::size_t largest_packet, std::function<void(int)> notify,
                           const mesh_codec &codec, std::function<bool(int, const packet_header &)> awaits)
    : carrier{std::move(tiles), codec, std::move(notify)}, packet_words_{words_for(largest_packet)},
      rank_of_tile_(static_cast<std::size_t>(machine.tiles()), -1), awaits_{std::move(awaits)}, array_{
                                                                                                    machine} {
    for (int rank = 0; rank < static_cast<int>(tiles_.size()); ++rank) {
        rank_of_tile_[static_cast<std::size_t>(tiles_[static_cast<std::size_t>(rank)])] = rank;
        stations_.push_back(std::make_unique<station>(*this, rank));
        station &here = *stations_.back();
        for (int i = 0; i < packets_to_send; ++i) {
            here.to_send.push_back(make_buffer(here));
        }
        for (int i = 0; i < buffers_at_first; ++i) {
            here.to_receive.push_back(make_buffer(here));
        }
    }
    array_.begin([this](tile::core &here) { run_core(here); });
}

tile_carrier::~tile_carrier() = default;

carrier::packet *tile_carrier::make_buffer(station &owner) const {
    owner.buffers.push_back(std::make_unique<packet>());
    owner.buffers.back()->owner = owner.rank;
    if (!codec_.standard_mode_only()) {
        owner.buffers.back()->data.resize(packet_words_);
    }
    return owner.buffers.back().get();
}

carrier::packet *tile_carrier::claim(int rank, std::size_t bytes) {
    std::vector<packet *> &free = at(rank).to_send;
    if (free.empty()) {
        if (!codec_.standard_mode_only()) {
            return nullptr;
        }
        free.push_back(make_buffer(at(rank)));
    }
    packet *const claimed = free.back();
    free.pop_back();
    claimed->data.resize(std::max(claimed->data.size(), words_for(bytes)));
    claimed->bytes = bytes;
    return claimed;
}

void tile_carrier::send(int rank, packet *filled) {
    at(rank).tasks.push_back({.sent = filled});
    array_.model().wake(tiles_[static_cast<std::size_t>(rank)]);
}

void tile_carrier::work(int rank, tile::cycle cycles, tile::phase as) {
    at(rank).tasks.push_back({nullptr, cycles, as});
    array_.model().wake(tiles_[static_cast<std::size_t>(rank)]);
}

carrier::packet *tile_carrier::arrived(int rank) {
    station &here = at(rank);
    if (here.held && here.to_receive.empty()) {
        here.to_receive.push_back(make_buffer(here));
        work(rank, array_.model().built().allocate_cycles, tile::phase::library);
        here.held = false;
        here.core->hold_interrupts(false);
    }
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

tile::cycle tile_carrier::receive_cycles(const packet &received) const noexcept {
    const tile::parameters &costs = model().built();
    const std::size_t copied = received.in_place ? 0 : words_for(received.bytes - sizeof(packet_header));
    return costs.match_cycles + costs.copy_word_cycles * static_cast<tile::cycle>(copied);
}

bool tile_carrier::advance(tile::cycle until) {
    notified_ = false;
    while (!notified_) {
        if (!array_.advance(until)) {
            return notified_ || until != tile::agenda::never;
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
    if (!codec_.polls()) {
        here.set_handler(&own);
    }
    for (;;) {
        if (own.tasks.empty()) {
            here.pause(codec_.polls());
            if (codec_.polls() && here.waiting() != 0) {
                const tile::in_phase booked{here, tile::phase::receive};
                own.words_arrived(here);
            }
            continue;
        }
        const task next = own.tasks.front();
        if (next.sent != nullptr && next.sent->peer == rank) {
            here.work(here.costs().copy_word_cycles * static_cast<tile::cycle>(words_for(next.sent->bytes)));
            own.inbox.push_back(next.sent); // without the network
        } else if (next.sent != nullptr) {
            send_on_mesh(here, rank, *next.sent);
            own.to_send.push_back(next.sent);
        } else {
            const tile::in_phase booked{here, next.as};
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
    const tile::rmpi::packet_format &format = codec_.format();
    auto rest =
        std::span<const word>{sent.data}.first(words_for(sent.bytes)).subspan(codec_.replaced_words());
    here.carry_as(costs.class_of(sent.bytes - sizeof(packet_header)));
    bool first = true;
    do {
        const auto left = static_cast<std::int64_t>(rest.size());
        const auto some =
            static_cast<std::size_t>(first ? format.first_payload(left) : format.next_payload(left));
        const mesh_codec::header_words header = first ? codec_.first_header(rank, sent.view(), some)
                                                      : codec_.next_header(rank, sent.view(), some);
        here.work(costs.packet_cycles);
        tile::rmpi::send_packet(here, to, header.view(), rest.first(some), costs.send_word_cycles,
                                codec_.writes_whole());
        rest = rest.subspan(some);
        first = false;
    } while (!rest.empty());
}

void tile_carrier::station::words_arrived(tile::core &here) {
    while (here.waiting() != 0 || rest_follows(here)) {
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

// Two cores that write to each other fill each other's ports, and both stall. If one of them stays with the
// other's packet, that one can write the rest of it without another stop.
bool tile_carrier::station::rest_follows(tile::core &here) const {
    if (reading == nullptr || sender < rank || !carrier.codec_.writes_whole()) {
        return false;
    }
    const tile::parameters &costs = here.costs();
    const tile::cycle patience = costs.interrupt_entry_cycles + costs.interrupt_exit_cycles;
    for (tile::cycle waited = 0; here.waiting() == 0 && waited < patience;
         waited += costs.receive_word_cycles) {
        here.work(costs.receive_word_cycles);
    }
    return here.waiting() != 0;
}

bool tile_carrier::station::is_first() const noexcept {
    return carrier.codec_.is_first(header, open.contains(carrier.codec_.sender(header)));
}

std::size_t tile_carrier::station::words_of_header() const noexcept {
    const tile::rmpi::packet_format &format = carrier.codec_.format();
    return static_cast<std::size_t>(is_first() ? format.first_header : format.next_header);
}

void tile_carrier::station::read_header(tile::core &here) {
    // Its first words contain its length.
    const std::size_t key = carrier.codec_.key_words();
    const std::size_t wanted = header_read < key ? key : words_of_header();
    header_read += here.receive_waiting(std::span(header).subspan(header_read, wanted - header_read),
                                        here.costs().receive_word_cycles);
    if (header_read < key || header_read < words_of_header()) {
        return;
    }
    sender = carrier.codec_.sender(header);
    if (place_data(here)) {
        header_read = 0;
        read_data(here); // all of it, if the packet has none
        return;
    }
    held = true;
    here.hold_interrupts(true);
    carrier.notify(rank);
}

// A posted receive counts if the rank waits: while the core is busy with what the rank has asked for before,
// it has not come to posting it.
bool tile_carrier::station::goes_in_place() const {
    if (!carrier.codec_.writes_in_place() || !carrier.awaits_ || !tasks.empty()) {
        return false;
    }
    std::array<word, words_for(sizeof(packet_header))> words;
    carrier.codec_.restore(header, words);
    packet_header message;
    std::memcpy(&message, words.data(), sizeof message);
    return carrier.awaits_(rank, message);
}

carrier::packet *tile_carrier::station::take_buffer(tile::core &here, bool in_place) {
    if (to_receive.empty()) {
        if (!carrier.codec_.standard_mode_only()) {
            return nullptr;
        }
        to_receive.push_back(carrier.make_buffer(*this));
    }
    if (carrier.codec_.standard_mode_only() && !in_place) {
        here.work(here.costs().allocate_cycles); // of the size in the header, as rMPI did
    }
    packet *const taken = to_receive.back();
    to_receive.pop_back();
    return taken;
}

bool tile_carrier::station::place_data(tile::core &here) {
    const mesh_codec &codec = carrier.codec_;
    const bool first = is_first();
    if (first) {
        int &of_sender = kept[sender];
        if (!codec.standard_mode_only() && of_sender > 0 && more == packets_kept) {
            return false;
        }
        const bool in_place = goes_in_place();
        packet *const begun = take_buffer(here, in_place);
        if (begun == nullptr) {
            return false;
        }
        more += of_sender > 0 ? 1 : 0;
        ++of_sender;
        begun->peer = sender;
        begun->in_place = in_place;
        begun->bytes = codec.bytes(header);
        begun->data.resize(std::max(begun->data.size(), words_for(begun->bytes)));
        codec.restore(header, begun->data);
        open[sender] = {begun, codec.replaced_words()};
    }
    reading = &open[sender];
    const auto missing = static_cast<std::int64_t>(words_for(reading->into->bytes) - reading->words);
    left = static_cast<std::size_t>(first ? codec.format().first_payload(missing)
                                          : codec.format().next_payload(missing));
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
