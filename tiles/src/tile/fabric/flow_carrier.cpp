// SPDX-License-Identifier: Apache-2.0
#include "tile/fabric/flow_carrier.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace lisle::fabric {

flow_carrier::flow_carrier(const tile::parameters &machine, std::vector<int> hosts, std::size_t header,
                           std::function<void(int)> notify)
    : carrier{std::move(hosts), mesh_packets::lisle, std::move(notify)}, machine_{machine}, header_{header},
      flows_{machine}, stations_(tiles_.size()) {}

carrier::packet *flow_carrier::claim(int rank, std::size_t bytes) {
    station &here = at(rank);
    if (here.free.empty()) {
        here.buffers.push_back(std::make_unique<packet>());
        here.buffers.back()->owner = rank;
        here.free.push_back(here.buffers.back().get());
    }
    packet *const claimed = here.free.back();
    here.free.pop_back();
    claimed->data.resize(words_for(bytes));
    claimed->bytes = bytes;
    return claimed;
}

void flow_carrier::send(int rank, packet *filled) {
    add_task(rank, {filled, machine_.send_cycles, tile::phase::send});
}

void flow_carrier::work(int rank, tile::cycle cycles, tile::phase as) {
    if (cycles != 0) {
        add_task(rank, {nullptr, cycles, as});
    }
}

void flow_carrier::add_task(int rank, const task &added) {
    at(rank).tasks.push_back(added);
    if (at(rank).tasks.size() == 1) {
        begin_task(rank);
    }
}

void flow_carrier::begin_task(int rank) {
    schedule(now_ + at(rank).tasks.front().cycles, kind::task_ends, rank);
}

void flow_carrier::end_task(int rank) {
    station &here = at(rank);
    const task ended = here.tasks.front();
    here.tasks.pop_front();
    here.spent[static_cast<std::size_t>(ended.as)] += ended.cycles;
    if (ended.sent != nullptr) {
        ++messages_;
        bytes_ += counted(*ended.sent);
        here.to_wire.push_back(ended.sent);
        put_on_wire(rank);
    }
    if (!here.tasks.empty()) {
        begin_task(rank);
    }
    notify(rank);
}

/// Begins with the next packet if none is on its way out.
void flow_carrier::put_on_wire(int rank) {
    station &here = at(rank);
    if (here.on_wire || here.to_wire.empty()) {
        return;
    }
    here.on_wire = true;
    schedule(std::max(now_, here.may_start), kind::flow_may_start, rank);
}

void flow_carrier::start_flow(int rank) {
    station &here = at(rank);
    packet *const sent = here.to_wire.front();
    here.may_start = now_ + machine_.gap_cycles;
    if (host(sent->peer) == host(rank)) {
        const tile::cycle copying =
            (counted(*sent) * machine_.memory_period + machine_.memory_bytes - 1) / machine_.memory_bytes;
        here.may_start = std::max(here.may_start, now_ + copying);
        here.to_wire.pop_front();
        here.on_wire = false;
        schedule(now_ + copying + machine_.memory_cycles, kind::arrival, rank, sent);
        put_on_wire(rank);
        return;
    }
    flowing_[flows_.start(host(rank), host(sent->peer), counted(*sent), now_)] = sent;
}

void flow_carrier::flow_ended(int rank, packet *sent) {
    station &here = at(rank);
    here.to_wire.pop_front();
    here.on_wire = false;
    schedule(now_ + flows_.latency(host(rank), host(sent->peer)), kind::arrival, rank, sent);
    put_on_wire(rank);
}

void flow_carrier::schedule(tile::cycle when, kind what, int rank, packet *arriving) {
    events_.push({when, scheduled_++, what, rank, arriving});
}

void flow_carrier::take_place(const event &what) {
    switch (what.what) {
    case kind::task_ends:
        end_task(what.rank);
        break;
    case kind::flow_may_start:
        start_flow(what.rank);
        break;
    case kind::arrival: {
        const int to = std::exchange(what.arriving->peer, what.rank);
        at(to).inbox.push_back(what.arriving);
        notify(to);
        break;
    }
    }
}

carrier::packet *flow_carrier::arrived(int rank) {
    const station &here = at(rank);
    return here.tasks.empty() && !here.inbox.empty() ? here.inbox.front() : nullptr;
}

void flow_carrier::release(int rank) {
    packet *const taken = at(rank).inbox.front();
    at(rank).inbox.pop_front();
    at(taken->owner).free.push_back(taken);
}

bool flow_carrier::advance(tile::cycle until) {
    notified_ = false;
    while (!notified_) {
        const tile::cycle next =
            std::min(events_.empty() ? tile::flow_network::never : events_.top().at, flows_.next(now_));
        if (next == tile::flow_network::never && until == tile::flow_network::never) {
            return false;
        }
        if (next > until) {
            now_ = std::max(now_, until);
            return true;
        }
        now_ = next;
        for (const int flow : flows_.take(now_)) {
            packet *const sent = flowing_.extract(flow).mapped();
            flow_ended(sent->owner, sent);
        }
        // All of this cycle, so that flows which begin together are shared out once.
        while (!events_.empty() && events_.top().at == now_) {
            const event due = events_.top();
            events_.pop();
            take_place(due);
        }
    }
    return true;
}

tile::network_report flow_carrier::report() const {
    return {flows_.described(), now_, messages_, {}, flows_.links(), {}};
}

std::string flow_carrier::summary() const {
    std::array<double, tile::phases> shares{};
    const double cycles = static_cast<double>(std::max<tile::cycle>(1, now_));
    double busy = 0;
    for (const station &each : stations_) {
        for (std::size_t i = 0; i < tile::phases; ++i) {
            shares[i] += static_cast<double>(each.spent[i]) / cycles / ranks();
            busy += static_cast<double>(each.spent[i]) / cycles / ranks();
        }
    }
    shares[static_cast<std::size_t>(tile::phase::waiting)] = std::max(0.0, 1 - busy);
    std::string text =
        fmt::format("tiles: {} ranks on {} hosts, {} cycles, {:.6f} s at {} MHz\n"
                    "tiles: network: {}\n",
                    ranks(), machine_.tiles(), now_, cycles * 1e-6 / static_cast<double>(machine_.clock_mhz),
                    machine_.clock_mhz, flows_.described());
    text += describe_phases(shares, ranks());
    text += fmt::format("tiles: {} messages, {} bytes\n", messages_, bytes_);
    tile::link_traffic busiest;
    std::int64_t words = 0;
    for (const tile::link_traffic &each : flows_.links()) {
        busiest = each.words > busiest.words ? each : busiest;
        words += each.words;
    }
    text += describe_energy(machine_, shares, cycles, ranks(), words);
    if (busiest.words != 0) {
        text +=
            fmt::format("tiles: busiest link {} -> {}: {} words\n", busiest.from, busiest.to, busiest.words);
    }
    return text;
}

} // namespace lisle::fabric
