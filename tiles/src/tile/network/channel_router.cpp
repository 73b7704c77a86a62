// SPDX-License-Identifier: Apache-2.0
// What a router with virtual channels does in a cycle: headers are given lanes, then words move.
#include <algorithm>
#include <bit>

#include "tile/network/channel_network.hpp"

namespace lisle::tile {

/// False: nothing can move here until something else happens.
bool channel_network::work(int number, cycle now) {
    const bool given = give_exits(number, now);
    bool moved = false;
    for (int i = 0; i < at(number).widest && move_words(number, now); ++i) {
        moved = true;
    }
    return given || moved || waits_for_time(at(number), now);
}

bool channel_network::give_exits(int number, cycle now) {
    router &here = at(number);
    const int lanes = static_cast<int>(here.lanes.size());
    bool given = false;
    const int first = here.first;
    for (int i = 0; i < lanes; ++i) {
        const int which = (first + i) % lanes;
        const lane &asking = here.lanes[static_cast<std::size_t>(which)];
        if (asking.words.empty() || asking.exit != none || asking.words.front().ready > now) {
            continue;
        }
        if (give_exit(number, which)) {
            here.first = given ? here.first : (which + 1) % lanes;
            given = true;
        }
    }
    return given;
}

/// The lane of an exit with the most room that a packet can have now, or none.
int channel_network::free_lane(const exit_state &of, std::uint32_t allowed) const noexcept {
    const int least =
        routing_->wants_empty_lanes() && of.core == none ? static_cast<int>(machine_.link_words) : 1;
    int best = none;
    for (std::uint32_t left = allowed; left != 0; left &= left - 1) {
        const int which = std::countr_zero(left);
        const exit_lane &each = of.lanes[static_cast<std::size_t>(which)];
        if (each.owner == none && each.credits >= least &&
            (best == none || each.credits > of.lanes[static_cast<std::size_t>(best)].credits)) {
            best = which;
        }
    }
    return best;
}

bool channel_network::give_exit(int number, int which) {
    router &here = at(number);
    lane &asking = here.lanes[static_cast<std::size_t>(which)];
    journey &way = packets_[asking.words.front().packet].way;
    may_.clear();
    if (joined_.router_of(way.to) == number) {
        int exit = static_cast<int>(joined_.exits(number).size());
        for (; here.exits[static_cast<std::size_t>(exit)].core != way.to; ++exit) {
        }
        may_.push_back({exit, lanes_between(0, lanes_)});
    } else {
        if (!way.begun) {
            way.begun = true;
            routing_->begin(way, *this);
        }
        routing_->next(way, number, may_);
    }
    const hop *chosen = nullptr;
    int most_room = none;
    for (const hop &each : may_) {
        if (each.last_resort && chosen != nullptr) {
            continue;
        }
        const exit_state &exit = here.exits[static_cast<std::size_t>(each.exit)];
        if (free_lane(exit, each.lanes) == none) {
            continue;
        }
        int room = 0;
        for (const exit_lane &of : exit.lanes) {
            room += of.credits;
        }
        if (room > most_room) {
            most_room = room;
            chosen = &each;
        }
    }
    if (chosen == nullptr) {
        return false;
    }
    exit_state &exit = here.exits[static_cast<std::size_t>(chosen->exit)];
    asking.exit = chosen->exit;
    asking.exit_lane = free_lane(exit, chosen->lanes);
    exit.lanes[static_cast<std::size_t>(asking.exit_lane)].owner = which;
    if (exit.core == none) {
        way.escaped |= chosen->last_resort;
        routing_->taken(way, number, *chosen);
    }
    return true;
}

bool channel_network::can_move(const router &here, const lane &from, cycle now) const noexcept {
    if (from.words.empty() || from.exit == none || from.words.front().ready > now) {
        return false;
    }
    const exit_state &exit = here.exits[static_cast<std::size_t>(from.exit)];
    if (exit.core != none) {
        const flit &next = from.words.front();
        return exit.free_at <= now &&
               (next.place == 0 || ports_[static_cast<std::size_t>(exit.core)].has_room(
                                       packets_[next.packet], static_cast<int>(machine_.port_input_words)));
    }
    const channel &way = channel_of(exit.number);
    const bool free = exit.free_at <= now || (exit.free_at == now + way.period && exit.sent < way.width);
    return free && exit.lanes[static_cast<std::size_t>(from.exit_lane)].credits != 0;
}

/// One word of each entrance and of each exit. False: none moves.
bool channel_network::move_words(int number, cycle now) {
    router &here = at(number);
    const int lanes = static_cast<int>(here.lanes.size());
    const int exits = static_cast<int>(here.exits.size());
    std::fill_n(granted_.begin(), exits, none);
    std::fill_n(chosen_.begin(), here.turns.size(), none);
    const auto behind = [](int which, int turn, int count) { return (which - turn - 1 + count) % count; };
    bool any = false;
    for (int which = 0; which < lanes; ++which) {
        const lane &each = here.lanes[static_cast<std::size_t>(which)];
        if (!can_move(here, each, now)) {
            continue;
        }
        any = true;
        const int turn = here.exits[static_cast<std::size_t>(each.exit)].turn;
        int &granted = granted_[static_cast<std::size_t>(each.exit)];
        if (granted == none || behind(which, turn, lanes) < behind(granted, turn, lanes)) {
            granted = which;
        }
    }
    if (!any) {
        return false;
    }
    for (int exit = 0; exit < exits; ++exit) {
        const int granted = granted_[static_cast<std::size_t>(exit)];
        if (granted == none) {
            continue;
        }
        const auto entrance = static_cast<std::size_t>(granted / lanes_);
        int &chosen = chosen_[entrance];
        const int turn = here.turns[entrance];
        if (chosen == none || behind(exit, turn, exits) < behind(chosen, turn, exits)) {
            chosen = exit;
        }
    }
    for (std::size_t entrance = 0; entrance < here.turns.size(); ++entrance) {
        if (const int exit = chosen_[entrance]; exit != none) {
            const int which = granted_[static_cast<std::size_t>(exit)];
            here.turns[entrance] = exit;
            here.exits[static_cast<std::size_t>(exit)].turn = which;
            move(number, which, now);
        }
    }
    return true;
}

void channel_network::move(int number, int which, cycle now) {
    router &here = at(number);
    lane &from = here.lanes[static_cast<std::size_t>(which)];
    exit_state &exit = here.exits[static_cast<std::size_t>(from.exit)];
    flit moved = from.words.pop();
    const int entrance = which / lanes_;
    if (entrance < here.channels) {
        const channel &way = channel_of(joined_.entrances(number)[static_cast<std::size_t>(entrance)]);
        schedule(machine_.credit_cycles, {way.from, which % lanes_, way.exit, {}});
    } else {
        departures_.push_back(joined_.cores_at(number)[static_cast<std::size_t>(entrance - here.channels)]);
    }
    const bool last = moved.last;
    if (exit.core != none) {
        exit.free_at = now + 1;
        deliver(exit.core, moved, now);
    } else {
        const channel &way = channel_of(exit.number);
        exit.sent = exit.free_at <= now ? 1 : exit.sent + 1;
        exit.free_at = now + way.period;
        ++exit.words;
        --exit.lanes[static_cast<std::size_t>(from.exit_lane)].credits;
        moved.ready =
            now + way.latency + machine_.router_cycles + (moved.place == 0 ? machine_.header_cycles : 0);
        schedule(way.latency, {way.to, way.entrance * lanes_ + from.exit_lane, none, moved});
    }
    if (last) {
        exit.lanes[static_cast<std::size_t>(from.exit_lane)].owner = none;
        from.exit = none;
    }
}

void channel_network::deliver(int core, const flit &moved, cycle now) {
    receiving_port &port = ports_[static_cast<std::size_t>(core)];
    if (moved.place == 0) {
        port.begin(packets_, moved.packet);
        return;
    }
    port.word_arrived(packets_, moved.packet);
    if (moved.packet == port.reading()) {
        waiting_[static_cast<std::size_t>(core)] = port.waiting(packets_);
        arrivals_.push_back(core);
    }
    if (moved.last) {
        count_latency(packets_[moved.packet].begun, now + 1);
    }
}

bool channel_network::waits_for_time(const router &here, cycle now) const noexcept {
    return std::any_of(here.lanes.begin(), here.lanes.end(), [&](const lane &each) {
        return !each.words.empty() &&
               (each.words.front().ready > now ||
                (each.exit != none && here.exits[static_cast<std::size_t>(each.exit)].free_at > now));
    });
}

} // namespace lisle::tile
