// SPDX-License-Identifier: Apache-2.0
#include "tile/network/channel_network.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "tile/network/topologies.hpp"

namespace lisle::tile {

channel_network::channel_network(const parameters &machine, std::shared_ptr<core_ports> ports, int which)
    : network{machine}, machine_{machine}, joined_{make_wiring(machine)},
      lanes_{static_cast<int>(machine.virtual_channels)}, routing_{make_routing(machine, joined_, lanes_)},
      random_{static_cast<std::uint64_t>(machine.seed)}, shared_{std::move(ports)},
      which_{static_cast<std::uint8_t>(which)}, packets_{shared_->packets}, ports_{shared_->at},
      routers_(static_cast<std::size_t>(joined_.routers())),
      writing_(static_cast<std::size_t>(joined_.cores())), first_lanes_(writing_.size()) {
    cycle longest = machine.credit_cycles;
    for (const channel &way : joined_.channels()) {
        longest = std::max(longest, way.latency);
    }
    events_.resize(static_cast<std::size_t>(longest) + 1);
    for (int number = 0; number < joined_.routers(); ++number) {
        make_router(number);
    }
}

void channel_network::make_router(int number) {
    router &made = at(number);
    made.channels = static_cast<int>(joined_.entrances(number).size());
    const std::span<const int> cores = joined_.cores_at(number);
    const auto entrances = static_cast<std::size_t>(made.channels) + cores.size();
    made.turns.resize(entrances);
    made.lanes.resize(entrances * static_cast<std::size_t>(lanes_));
    const std::vector<exit_lane> full(static_cast<std::size_t>(lanes_),
                                      {none, static_cast<int>(machine_.link_words)});
    for (const int way : joined_.exits(number)) {
        const bool works = way != none && !channel_of(way).broken;
        made.exits.push_back({.number = works ? way : none, .lanes = full});
        made.widest = works ? std::max(made.widest, channel_of(way).width) : made.widest;
    }
    for (std::size_t i = 0; i < cores.size(); ++i) {
        made.exits.push_back({.core = cores[i], .lanes = full});
        first_lanes_[static_cast<std::size_t>(cores[i])] = (made.channels + static_cast<int>(i)) * lanes_;
    }
    granted_.resize(std::max(granted_.size(), made.exits.size()));
    chosen_.resize(std::max(chosen_.size(), entrances));
}

void channel_network::wake(int number) {
    if (!at(number).awake) {
        at(number).awake = true;
        awake_.push_back(number);
    }
}

const channel_network::lane &channel_network::lane_of_core(int core, int which) const noexcept {
    const router &here = at(joined_.router_of(core));
    return here.lanes[static_cast<std::size_t>(first_lanes_[static_cast<std::size_t>(core)] + which)];
}

/// The lane with the most room.
int channel_network::lane_for_next(int core) const noexcept {
    int best = 0;
    for (int which = 1; which < lanes_; ++which) {
        if (lane_of_core(core, which).words.size() < lane_of_core(core, best).words.size()) {
            best = which;
        }
    }
    return best;
}

bool channel_network::has_room(int tile) const noexcept {
    const writing &now = writing_[static_cast<std::size_t>(tile)];
    const int which = now.left != 0 ? now.lane : lane_for_next(tile);
    return lane_of_core(tile, which).words.size() < machine_.port_output_words;
}

void channel_network::begin_packet(int core, word header, cycle now) {
    const int to = shape_.at(column_of(header), row_of(header));
    for (const int end : {core, to}) {
        if (!joined_.works(joined_.router_of(end))) {
            throw std::invalid_argument("tile " + std::to_string(end) + " is at router " +
                                        std::to_string(joined_.router_of(end)) + ", which is broken");
        }
    }
    writing &begun = writing_[static_cast<std::size_t>(core)];
    begun.left = payload_of(header);
    begun.lane = lane_for_next(core);
    begun.packet = packets_.make(core, to, begun.left, begin_of(core, now),
                                 static_cast<std::uint32_t>(random_.next() >> 32));
    packets_[begun.packet].network = which_;
    ++ports_[static_cast<std::size_t>(core)].traffic().packets_sent;
}

void channel_network::write(int tile, word written, cycle now) {
    writing &by = writing_[static_cast<std::size_t>(tile)];
    const bool header = by.left == 0;
    flit pushed{.ready = now + machine_.router_cycles + (header ? machine_.header_cycles : 0)};
    if (header) {
        begin_packet(tile, written, now);
    } else {
        packet &of = packets_[by.packet];
        of.payload[of.written++] = written;
        pushed.place = of.written;
        pushed.last = --by.left == 0;
    }
    pushed.packet = by.packet;
    const int number = joined_.router_of(tile);
    const int lane = first_lanes_[static_cast<std::size_t>(tile)] + by.lane;
    at(number).lanes[static_cast<std::size_t>(lane)].words.push(pushed);
    wake(number);
}

word channel_network::read(int tile) {
    receiving_port &port = ports_[static_cast<std::size_t>(tile)];
    const receiving_port::taken taken = port.read(packets_);
    if (taken.ended >= 0) {
        packets_.release(taken.ended);
    }
    waiting_[static_cast<std::size_t>(tile)] = port.waiting(packets_);
    wake(joined_.router_of(tile));
    return taken.value;
}

void channel_network::schedule(cycle cycles, const event &what) {
    events_[static_cast<std::size_t>(now_ + cycles) % events_.size()].push_back(what);
    ++under_way_;
}

void channel_network::take_events(cycle now) {
    std::vector<event> &due = events_[static_cast<std::size_t>(now) % events_.size()];
    for (const event &each : due) {
        router &there = at(each.router);
        if (each.moved.packet == none) {
            ++there.exits[static_cast<std::size_t>(each.exit)]
                  .lanes[static_cast<std::size_t>(each.lane)]
                  .credits;
        } else {
            there.lanes[static_cast<std::size_t>(each.lane)].words.push(each.moved);
        }
        wake(each.router);
    }
    under_way_ -= static_cast<int>(due.size());
    due.clear();
}

void channel_network::step(cycle now) {
    now_ = now;
    arrivals_.clear();
    departures_.clear();
    take_events(now);
    std::swap(awake_, looking_);
    awake_.clear();
    for (const int number : looking_) {
        at(number).awake = false;
        if (work(number, now)) {
            wake(number);
        }
    }
}

int channel_network::queued(int router, int exit) const {
    int words = 0;
    for (const exit_lane &each : at(router).exits[static_cast<std::size_t>(exit)].lanes) {
        words += static_cast<int>(machine_.link_words) - each.credits;
    }
    return words;
}

std::string channel_network::described() const {
    std::string text = name_of_topology(machine_) + ", " + routing_->name() + " routing, " +
                       std::to_string(lanes_) + (lanes_ == 1 ? " virtual channel" : " virtual channels");
    if (joined_.broken() != 0) {
        text += ", around " + std::to_string(joined_.broken()) + " broken";
    }
    return text;
}

port_traffic channel_network::port(int tile) const noexcept {
    return ports_[static_cast<std::size_t>(tile)].traffic();
}

std::vector<link_traffic> channel_network::links() const {
    std::vector<link_traffic> all;
    for (int number = 0; number < joined_.routers(); ++number) {
        for (const exit_state &each : at(number).exits) {
            if (each.number == none) {
                continue;
            }
            const channel &way = channel_of(each.number);
            link_traffic seen{way.from, way.to, each.words, 0, 0};
            for (int i = 0; i < lanes_; ++i) {
                const lane &end = at(way.to).lanes[static_cast<std::size_t>(way.entrance * lanes_ + i)];
                seen.queued += end.words.size();
                seen.most_queued = std::max(seen.most_queued, end.words.high_water());
            }
            all.push_back(seen);
        }
    }
    return all;
}

int channel_network::words_under_way() const noexcept {
    int words = 0;
    for (const router &each : routers_) {
        for (const lane &of : each.lanes) {
            words += of.words.size();
        }
    }
    for (const std::vector<event> &due : events_) {
        words += static_cast<int>(std::count_if(due.begin(), due.end(),
                                                [](const event &each) { return each.moved.packet != none; }));
    }
    for (const receiving_port &port : ports_) {
        words += port.held(packets_);
    }
    return words;
}

int channel_network::stopped_by(int tile) const noexcept {
    int number = joined_.router_of(tile);
    int which = first_lanes_[static_cast<std::size_t>(tile)] + writing_[static_cast<std::size_t>(tile)].lane;
    const auto longest = routers_.size() * static_cast<std::size_t>(lanes_) * 8;
    std::vector<hop> may;
    for (std::size_t steps = 0; steps < longest; ++steps) {
        const lane &here = at(number).lanes[static_cast<std::size_t>(which)];
        if (here.words.empty()) {
            return -1;
        }
        const packet &first = packets_[here.words.front().packet];
        if (joined_.router_of(first.way.to) == number) {
            return first.way.to;
        }
        int exit = here.exit;
        int next_lane = here.exit_lane;
        if (exit == none) { // behind another packet, or a full buffer
            may.clear();
            routing_->next(first.way, number, may);
            exit = may.front().exit;
            next_lane = std::countr_zero(may.front().lanes);
            const exit_state &wanted = at(number).exits[static_cast<std::size_t>(exit)];
            const int owner = wanted.lanes[static_cast<std::size_t>(next_lane)].owner;
            if (owner != none) {
                const lane &holder = at(number).lanes[static_cast<std::size_t>(owner)];
                if (!holder.words.empty() && holder.words.front().packet != here.words.front().packet) {
                    which = owner;
                    continue;
                }
            }
        }
        const channel &way = channel_of(at(number).exits[static_cast<std::size_t>(exit)].number);
        number = way.to;
        which = way.entrance * lanes_ + next_lane;
    }
    return -1;
}

} // namespace lisle::tile
