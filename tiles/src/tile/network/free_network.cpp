// SPDX-License-Identifier: Apache-2.0
#include "tile/network/free_network.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tile/network/topologies.hpp"

namespace lisle::tile {

free_network::free_network(const parameters &machine, std::shared_ptr<core_ports> ports, int which,
                           bool short_last_hop)
    : network{machine}, machine_{machine}, joined_{make_wiring(machine)}, routing_{make_fixed_routing(
                                                                              machine, joined_)},
      short_last_hop_{short_last_hop}, shared_{std::move(ports)}, which_{static_cast<std::uint8_t>(which)},
      packets_{shared_->packets}, ports_{shared_->at}, writing_(static_cast<std::size_t>(joined_.cores())),
      words_(joined_.channels().size()) {}

const free_network::path &free_network::path_of(int from, int to) {
    const auto key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
    const auto [found, is_new] = paths_.try_emplace(key);
    if (is_new) {
        path_length &length = found->second.length;
        length = follow(*routing_, joined_, machine_, from, to, &found->second.channels);
        found->second.routers = length.links + 1;
        for (const int number : found->second.channels) {
            const channel &way = joined_.channels()[static_cast<std::size_t>(number)];
            if (way.period * found->second.width > found->second.period * way.width) {
                found->second.period = way.period;
                found->second.width = way.width;
            }
        }
        if (short_last_hop_ && length.links > 0) { // past the last router
            --length.cycles;
            --found->second.routers;
        }
    }
    return found->second;
}

void free_network::write(int tile, word written, cycle now) {
    writing &by = writing_[static_cast<std::size_t>(tile)];
    departures_.push_back(tile);
    if (by.left == 0) {
        const int to = shape_.at(column_of(written), row_of(written));
        for (const int end : {tile, to}) {
            if (!joined_.works(joined_.router_of(end))) {
                throw std::invalid_argument("tile " + std::to_string(end) + " is at a router that is broken");
            }
        }
        by.left = payload_of(written);
        by.packet = packets_.make(tile, to, by.left, begin_of(tile, now), 0);
        packets_[by.packet].network = which_;
        by.by = &path_of(tile, to);
        by.first = by.next = now + by.by->length.cycles + machine_.header_cycles * by.by->routers;
        ++ports_[static_cast<std::size_t>(tile)].traffic().packets_sent;
        coming_.push({by.next, written_++, by.packet, 0});
    } else {
        packet &of = packets_[by.packet];
        of.payload[of.written++] = written;
        --by.left;
        // Behind the header as fast as the slowest link of the way carries words.
        const cycle behind = (of.written * by.by->period + by.by->width - 1) / by.by->width;
        by.next = std::max({by.next, by.first + behind, now + by.by->length.cycles});
        coming_.push({by.next, written_++, by.packet, of.written});
    }
    for (const int way : by.by->channels) {
        ++words_[static_cast<std::size_t>(way)];
    }
}

void free_network::step(cycle now) {
    arrivals_.clear();
    departures_.clear();
    for (; !coming_.empty() && coming_.top().at <= now; coming_.pop()) {
        take(coming_.top(), now);
    }
}

void free_network::take(const coming &word, cycle now) {
    const packet &of = packets_[word.packet];
    const int core = of.way.to;
    receiving_port &port = ports_[static_cast<std::size_t>(core)];
    if (word.place == 0) {
        port.begin(packets_, word.packet);
        return;
    }
    port.word_arrived(packets_, word.packet);
    if (word.packet == port.reading()) {
        waiting_[static_cast<std::size_t>(core)] = port.waiting(packets_);
        arrivals_.push_back(core);
    }
    if (word.place == of.words) {
        count_latency(of.begun, now + 1);
    }
}

word free_network::read(int tile) {
    receiving_port &port = ports_[static_cast<std::size_t>(tile)];
    const receiving_port::taken taken = port.read(packets_);
    if (taken.ended >= 0) {
        packets_.release(taken.ended);
    }
    waiting_[static_cast<std::size_t>(tile)] = port.waiting(packets_);
    return taken.value;
}

port_traffic free_network::port(int tile) const noexcept {
    return ports_[static_cast<std::size_t>(tile)].traffic();
}

std::vector<link_traffic> free_network::links() const {
    std::vector<link_traffic> all;
    for (std::size_t number = 0; number < words_.size(); ++number) {
        const channel &way = joined_.channels()[number];
        if (!way.broken) {
            all.push_back({way.from, way.to, words_[number], 0, 0});
        }
    }
    return all;
}

int free_network::words_under_way() const noexcept {
    return std::accumulate(
        ports_.begin(), ports_.end(), static_cast<int>(coming_.size()),
        [this](int words, const receiving_port &port) { return words + port.held(packets_); });
}

} // namespace lisle::tile
