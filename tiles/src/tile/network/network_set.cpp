// SPDX-License-Identifier: Apache-2.0
#include "tile/network/network_set.hpp"

#include <algorithm>
#include <numeric>

#include "tile/network/channel_network.hpp"
#include "tile/network/free_network.hpp"

namespace lisle::tile {

network_set::network_set(const parameters &machine)
    : network{machine}, carried_by_{machine.carried_by}, ports_{std::make_shared<core_ports>(
                                                             machine.tiles())},
      writing_(static_cast<std::size_t>(machine.tiles())) {
    for (int which = 0; which < machine.networks(); ++which) {
        const parameters alone = machine.network_alone(which);
        if (machine.contention == 0) {
            parts_.push_back(std::make_unique<free_network>(alone, ports_, which));
        } else {
            parts_.push_back(std::make_unique<channel_network>(alone, ports_, which));
        }
    }
    for (int tile = 0; tile < machine.tiles(); ++tile) {
        carry_as(tile, packet_class::large);
    }
}

void network_set::carry_as(int tile, packet_class next) {
    writing &by = writing_[static_cast<std::size_t>(tile)];
    by.carried_by = carried_by_[static_cast<std::size_t>(next)];
    by.turn = by.carried_by == parameters::all_in_turn ? by.turn : by.carried_by;
}

void network_set::write(int tile, word written, cycle now) {
    writing &by = writing_[static_cast<std::size_t>(tile)];
    class network &part = next_of(tile);
    if (by.left == 0) {
        by.left = payload_of(written) + 1;
        if (measures()) {
            part.date_next(tile, begin_of(tile, now));
        }
    }
    part.write(tile, written, now);
    if (--by.left == 0 && by.carried_by == parameters::all_in_turn) {
        by.turn = (by.turn + 1) % static_cast<int>(parts_.size());
    }
}

word network_set::read(int tile) {
    const receiving_port &port = ports_->at[static_cast<std::size_t>(tile)];
    // The network of the packet, whose router waits for the room.
    const int network = ports_->packets[port.reading()].network;
    const word value = parts_[static_cast<std::size_t>(network)]->read(tile);
    waiting_[static_cast<std::size_t>(tile)] = port.waiting(ports_->packets);
    return value;
}

bool network_set::active() const noexcept {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto &part) { return part->active(); });
}

void network_set::step(cycle now) {
    arrivals_.clear();
    departures_.clear();
    for (const std::unique_ptr<class network> &part : parts_) {
        part->step(now);
        arrivals_.insert(arrivals_.end(), part->arrivals().begin(), part->arrivals().end());
        departures_.insert(departures_.end(), part->departures().begin(), part->departures().end());
    }
    for (const int tile : arrivals_) {
        const receiving_port &port = ports_->at[static_cast<std::size_t>(tile)];
        waiting_[static_cast<std::size_t>(tile)] = port.waiting(ports_->packets);
    }
}

std::string network_set::described() const {
    std::string text = std::to_string(parts_.size()) + " networks";
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        text += (i == 0 ? ": " : "; ") + parts_[i]->described();
    }
    return text;
}

port_traffic network_set::port(int tile) const noexcept {
    return ports_->at[static_cast<std::size_t>(tile)].traffic();
}

std::vector<link_traffic> network_set::links() const {
    std::vector<link_traffic> all;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        for (link_traffic each : parts_[i]->links()) {
            each.network = static_cast<int>(i);
            all.push_back(each);
        }
    }
    return all;
}

int network_set::words_under_way() const noexcept {
    const int in_ports = std::accumulate(
        ports_->at.begin(), ports_->at.end(), 0,
        [this](int words, const receiving_port &port) { return words + port.held(ports_->packets); });
    int words = in_ports;
    for (const std::unique_ptr<class network> &part : parts_) {
        words += part->words_under_way() - in_ports; // each counts the words in the ports
    }
    return words;
}

void network_set::measure_latencies() {
    network::measure_latencies();
    for (const std::unique_ptr<class network> &part : parts_) {
        part->measure_latencies();
    }
}

class latencies network_set::latencies() const {
    class latencies all;
    for (const std::unique_ptr<class network> &part : parts_) {
        all.add(part->latencies());
    }
    return all;
}

std::int64_t network_set::packets_measured() const noexcept {
    return std::accumulate(
        parts_.begin(), parts_.end(), std::int64_t{0},
        [](std::int64_t packets, const auto &part) { return packets + part->packets_measured(); });
}

} // namespace lisle::tile
