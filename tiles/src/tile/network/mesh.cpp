// SPDX-License-Identifier: Apache-2.0
#include "tile/network/mesh.hpp"

#include <algorithm>

namespace lisle::tile {

mesh::mesh(const parameters &machine)
    : network{machine}, port_output_words_{static_cast<int>(machine.port_output_words)},
      port_input_words_{static_cast<int>(machine.port_input_words)},
      link_words_{static_cast<int>(machine.link_words)}, header_cycles_{machine.header_cycles},
      routers_(static_cast<std::size_t>(machine.tiles())) {}

void mesh::write(int tile, word written, cycle now) {
    if (clock_ != nullptr) {
        if (clock_->is_header(tile, written)) {
            clock_->header_written(tile, begin_of(tile, now));
        }
    }
    push(tile, side::core, written, now + header_cycles_);
}

word mesh::read(int tile) {
    router &here = at(tile);
    const word taken = here.port_input.pop();
    --waiting_[static_cast<std::size_t>(tile)];
    const std::int8_t sender = here.owner[index(side::core)];
    if (sender != none) { // there is room again for the packet that is arriving
        const auto entered = static_cast<side>(sender);
        wake(entered == side::core ? tile : shape_.neighbour(tile, entered));
    }
    return taken;
}

void mesh::push(int tile, side entered, word pushed, cycle ready) {
    entrance &into = at(tile).from[index(entered)];
    const bool alone = into.words.empty();
    into.words.push(pushed);
    if (alone && into.left == 0 && into.exit == none) {
        look_at_header(tile, into, ready);
    }
    wake(tile);
}

void mesh::look_at_header(int tile, entrance &of, cycle ready) const {
    const word header = of.words.front();
    of.destination = shape_.at(column_of(header), row_of(header));
    of.wanted = static_cast<std::int8_t>(shape_.towards(tile, of.destination));
    of.ready = ready;
}

void mesh::step(cycle now) {
    arrivals_.clear();
    departures_.clear();
    moves_.clear();
    std::swap(awake_, looking_);
    awake_.clear();
    for (const int tile : looking_) {
        at(tile).awake = false;
    }
    for (const int tile : looking_) {
        plan(tile, now);
    }
    settle_claims();
    for (const move &each : moves_) {
        carry_out(each, now);
    }
}

/// Decides which words of one router move. Changes nothing that other routers read.
void mesh::plan(int tile, cycle now) {
    router &here = at(tile);
    std::array<unsigned, sides> asking{};
    for (const side entered : all_sides) {
        entrance &from = here.from[index(entered)];
        if (from.words.empty()) {
            continue;
        }
        if (from.exit != none) {
            if (room_beyond(tile, from, static_cast<side>(from.exit))) {
                moves_.push_back({tile, entered});
            }
        } else if (from.ready > now) {
            wake(tile);
        } else {
            asking[static_cast<std::size_t>(from.wanted)] |= 1U << index(entered);
        }
    }
    for (const side exit : all_sides) {
        if (asking[index(exit)] != 0) {
            plan_header(tile, exit, asking[index(exit)]);
        }
    }
}

/// Lets one of the headers that ask for an exit through it, if one can go on. @param asking bits of entrances
void mesh::plan_header(int tile, side exit, unsigned asking) {
    router &here = at(tile);
    if (exit == side::core) { // a packet to the tile that it comes from
        if (here.owner[index(exit)] == none) {
            here.claims |= static_cast<std::uint8_t>(1U << index(side::core));
            claimed_.push_back(tile);
        }
        return;
    }
    if (here.owner[index(exit)] != none) {
        return;
    }
    const int next = shape_.neighbour(tile, exit);
    unsigned able = 0;
    for (const side entered : all_sides) {
        const unsigned bit = 1U << index(entered);
        if ((asking & bit) == 0) {
            continue;
        }
        const entrance &from = here.from[index(entered)];
        const bool can = from.destination == next ? at(next).owner[index(side::core)] == none
                                                  : room_beyond(tile, from, exit);
        able |= can ? bit : 0;
    }
    if (able == 0) {
        return;
    }
    const std::int8_t chosen = next_in_turn(able, here.turn[index(exit)]);
    entrance &from = here.from[static_cast<std::size_t>(chosen)];
    if (from.destination == next) {
        here.candidate[index(exit)] = chosen;
        if (at(next).claims == 0) {
            claimed_.push_back(next);
        }
        at(next).claims |= static_cast<std::uint8_t>(1U << index(opposite(exit)));
        return;
    }
    here.owner[index(exit)] = chosen;
    here.turn[index(exit)] = chosen;
    from.exit = static_cast<std::int8_t>(exit);
    moves_.push_back({tile, static_cast<side>(chosen)});
}

/// Each port that packets ask for goes to one of them, with the link that leads there.
void mesh::settle_claims() {
    for (const int tile : claimed_) {
        router &here = at(tile);
        if (here.claims == 0) {
            continue; // noted twice
        }
        const std::int8_t chosen = next_in_turn(here.claims, here.turn[index(side::core)]);
        here.claims = 0;
        here.owner[index(side::core)] = chosen;
        here.turn[index(side::core)] = chosen;
        const auto entered = static_cast<side>(chosen);
        if (entered == side::core) {
            here.from[index(side::core)].exit = static_cast<std::int8_t>(side::core);
            moves_.push_back({tile, side::core});
            continue;
        }
        const int last = shape_.neighbour(tile, entered);
        const side exit = opposite(entered);
        const std::int8_t candidate = at(last).candidate[index(exit)];
        at(last).owner[index(exit)] = candidate;
        at(last).turn[index(exit)] = candidate;
        at(last).from[static_cast<std::size_t>(candidate)].exit = static_cast<std::int8_t>(exit);
        moves_.push_back({last, static_cast<side>(candidate)});
    }
    claimed_.clear();
}

void mesh::carry_out(const move &moved, cycle now) {
    router &here = at(moved.tile);
    entrance &from = here.from[index(moved.from)];
    const auto exit = static_cast<side>(from.exit);
    const bool last_hop = ends_beyond(moved.tile, from, exit);
    const int next = exit == side::core ? moved.tile : shape_.neighbour(moved.tile, exit);

    const word carried = from.words.pop();
    const bool header = from.left == 0;
    from.left = static_cast<std::uint8_t>(header ? payload_of(carried) : from.left - 1);
    if (exit != side::core) {
        ++here.traffic.words_out[index(exit)];
    }
    if (!last_hop) {
        push(next, opposite(exit), carried, now + 1 + header_cycles_);
    } else if (header) {
        ++at(next).traffic.packets_received;
    } else {
        at(next).port_input.push(carried);
        ++waiting_[static_cast<std::size_t>(next)];
        ++at(next).traffic.words_out[index(side::core)];
        arrivals_.push_back(next);
    }

    if (clock_ != nullptr) {
        const int place = moved.tile * sides + static_cast<int>(moved.from);
        if (header) {
            clock_->header_moved(place, last_hop ? clock_->port(next)
                                                 : next * sides + static_cast<int>(opposite(exit)));
        }
        if (last_hop && from.left == 0) {
            count_latency(clock_->arrived(next), now + 1);
        }
    }
    if (moved.from == side::core) {
        here.traffic.packets_sent += header ? 1 : 0;
        departures_.push_back(moved.tile);
    } else {
        wake(shape_.neighbour(moved.tile, moved.from)); // it may have waited for room here
    }
    wake(moved.tile);
    if (from.left == 0) { // the packet has left
        from.exit = none;
        here.owner[index(exit)] = none;
        if (last_hop) {
            at(next).owner[index(side::core)] = none;
            wake_neighbours(next);
        }
        if (!from.words.empty()) {
            look_at_header(moved.tile, from, now + 1 + header_cycles_);
        }
    }
}

void mesh::wake_neighbours(int tile) {
    wake(tile);
    for (const side s : {side::north, side::east, side::south, side::west}) {
        if (shape_.has_neighbour(tile, s)) {
            wake(shape_.neighbour(tile, s));
        }
    }
}

bool mesh::ends_beyond(int tile, const entrance &of, side exit) const noexcept {
    return exit == side::core || of.destination == shape_.neighbour(tile, exit);
}

bool mesh::room_beyond(int tile, const entrance &of, side exit) const noexcept {
    if (exit == side::core) {
        return at(tile).port_input.size() < port_input_words_;
    }
    const router &next = at(shape_.neighbour(tile, exit));
    if (ends_beyond(tile, of, exit)) {
        return next.port_input.size() < port_input_words_;
    }
    return next.from[index(opposite(exit))].words.size() < link_words_;
}

/// The first bit behind `after`, going round.
std::int8_t mesh::next_in_turn(unsigned asking, std::int8_t after) noexcept {
    for (int step = 1;; ++step) {
        const int candidate = (after + step) % sides;
        if ((asking >> candidate & 1U) != 0) {
            return static_cast<std::int8_t>(candidate);
        }
    }
}

port_traffic mesh::port(int tile) const noexcept {
    const tile_traffic &counted = at(tile).traffic;
    return {counted.packets_sent, counted.packets_received, counted.words_out[index(side::core)]};
}

std::vector<link_traffic> mesh::links() const {
    std::vector<link_traffic> all;
    for (int tile = 0; tile < shape_.tiles(); ++tile) {
        for (const side exit : {side::north, side::east, side::south, side::west}) {
            if (shape_.has_neighbour(tile, exit)) {
                const int next = shape_.neighbour(tile, exit);
                const word_queue &buffer = at(next).from[index(opposite(exit))].words;
                all.push_back({tile, next, at(tile).traffic.words_out[index(exit)], buffer.size(),
                               buffer.high_water()});
            }
        }
    }
    return all;
}

void mesh::measure_latencies() {
    network::measure_latencies();
    clock_ = std::make_unique<packet_clock>(shape_.tiles());
}

int mesh::words_under_way() const noexcept {
    int words = 0;
    for (const router &each : routers_) {
        words += each.port_input.size();
        for (const entrance &from : each.from) {
            words += from.words.size();
        }
    }
    return words;
}

int mesh::stopped_by(int tile) const noexcept {
    auto entered = static_cast<std::int8_t>(side::core);
    const int longest = sides * shape_.tiles();
    for (int steps = 0; steps < longest; ++steps) {
        const entrance &from = at(tile).from[static_cast<std::size_t>(entered)];
        if (from.words.empty()) {
            // A packet whose words have not come: its sender stopped in the middle of it, or waits itself.
            if (static_cast<side>(entered) == side::core) {
                return from.left != 0 ? tile : -1;
            }
            const auto side_entered = static_cast<side>(entered);
            tile = shape_.neighbour(tile, side_entered);
            entered = at(tile).owner[index(opposite(side_entered))];
            if (entered == none) {
                return -1;
            }
            continue;
        }
        const auto exit = static_cast<side>(from.exit != none ? from.exit : from.wanted);
        if (exit == side::core) {
            return tile;
        }
        const int next = shape_.neighbour(tile, exit);
        if (from.exit == none && at(tile).owner[index(exit)] != none) {
            entered = at(tile).owner[index(exit)]; // behind another packet, for the link
        } else if (from.destination == next) {
            const std::int8_t holder = at(next).owner[index(side::core)];
            if (at(next).port_input.size() >= port_input_words_ || holder == none) {
                return next;
            }
            const auto side_held = static_cast<side>(holder); // behind another packet, for the port
            tile = side_held == side::core ? next : shape_.neighbour(next, side_held);
            entered = side_held == side::core ? holder : at(tile).owner[index(opposite(side_held))];
            if (entered == none) {
                return next;
            }
        } else {
            tile = next;
            entered = static_cast<std::int8_t>(opposite(exit));
        }
    }
    return -1;
}

} // namespace lisle::tile
