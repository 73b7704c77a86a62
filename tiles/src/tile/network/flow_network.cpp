// SPDX-License-Identifier: Apache-2.0
#include "tile/network/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tile/network/topologies.hpp"

namespace lisle::tile {

namespace {

constexpr double bytes_of_word = sizeof(word);
// Rates are quotients, and a flow that ends with a cycle must not seem to need the next one.
constexpr double rounding = 1e-6;

constexpr std::size_t most_ways = 1 << 16;

} // namespace

flow_network::flow_network(const parameters &machine)
    : machine_{machine}, joined_{make_wiring(machine)}, routing_{make_fixed_routing(machine, joined_)},
      ways_(most_ways) {
    const auto capacity = [](std::int64_t width, cycle period) {
        return bytes_of_word * static_cast<double>(width) / static_cast<double>(period);
    };
    for (const channel &each : joined_.channels()) {
        links_.emplace_back().capacity = capacity(each.width, each.period);
    }
    link of_host;
    of_host.capacity = capacity(machine.link_width, machine.link_period);
    links_.resize(links_.size() + 2 * static_cast<std::size_t>(joined_.cores()), of_host);
}

const flow_network::way &flow_network::way_of(int from, int to) {
    const auto mixed =
        (static_cast<std::uint64_t>(from) << 32 | static_cast<unsigned>(to)) * 0x9e3779b97f4a7c15U;
    way &made = ways_[static_cast<std::size_t>(mixed >> 32) % ways_.size()];
    if (made.from != from || made.to != to) {
        for (const int end : {from, to}) {
            if (!joined_.works(joined_.router_of(end))) {
                throw std::invalid_argument("host " + std::to_string(end) + " is at a router that is broken");
            }
        }
        made.from = from;
        made.to = to;
        const int channels = static_cast<int>(joined_.channels().size());
        const int out_of_network = channels + (machine_.host_duplex != 0 ? joined_.cores() : 0);
        made.links = {channels + from, out_of_network + to};
        made.latency =
            follow(*routing_, joined_, machine_, from, to, &made.links).cycles + machine_.wire_cycles;
    }
    return made;
}

cycle flow_network::latency(int from, int to) {
    return way_of(from, to).latency;
}

int flow_network::start(int from, int to, std::int64_t bytes, cycle now) {
    int number = static_cast<int>(flows_.size());
    if (free_.empty()) {
        flows_.emplace_back();
    } else {
        number = free_.back();
        free_.pop_back();
    }
    flow &made = flow_at(number);
    made.links = way_of(from, to).links;
    made.order = begun_++;
    made.left = static_cast<double>(bytes);
    made.rate = 0;
    made.since = now;
    if (bytes == 0) {
        ends_.push({now, made.order, number, ++made.version});
        return number;
    }
    for (const int each : made.links) {
        at(each).flows.push_back(number);
        at(each).bytes += bytes;
    }
    changed_.insert(changed_.end(), made.links.begin(), made.links.end());
    return number;
}

/// The links and flows that those links share something with, directly or through others.
void flow_network::collect(std::vector<int> &links, std::vector<int> &flows) {
    links.clear();
    for (const int each : changed_) {
        if (!std::exchange(at(each).seen, true)) {
            links.push_back(each);
        }
    }
    for (std::size_t next = 0; next < links.size(); ++next) {
        for (const int number : at(links[next]).flows) {
            flow &here = flow_at(number);
            if (!here.settled) {
                continue; // it has been met
            }
            here.settled = false;
            flows.push_back(number);
            for (const int other : here.links) {
                if (!std::exchange(at(other).seen, true)) {
                    links.push_back(other);
                }
            }
        }
    }
    for (const int each : links) {
        at(each).seen = false;
    }
}

/// Gives the flows without a rate theirs: those of the link that has the least for each of its flows first.
void flow_network::share(const std::vector<int> &links) {
    by_share_.clear();
    for (std::size_t place = 0; place < links.size(); ++place) {
        link &here = at(links[place]);
        here.free = here.capacity;
        here.open = static_cast<int>(here.flows.size());
        if (here.open != 0) {
            by_share_.push_back({here.free / here.open, place});
        }
    }
    std::make_heap(by_share_.begin(), by_share_.end(), std::greater{});
    while (!by_share_.empty()) {
        std::pop_heap(by_share_.begin(), by_share_.end(), std::greater{});
        const auto [rate, place] = by_share_.back();
        by_share_.pop_back();
        const link &narrowest = at(links[place]);
        if (narrowest.open == 0) {
            continue;
        }
        // A share only grows while flows are given less, so it is looked at again when its turn comes.
        const double now = narrowest.free / narrowest.open;
        if (now > rate) {
            by_share_.push_back({now, place});
            std::push_heap(by_share_.begin(), by_share_.end(), std::greater{});
        } else {
            settle_flows_of(narrowest, now);
        }
    }
}

void flow_network::settle_flows_of(const link &full, double rate) {
    for (const int number : full.flows) {
        flow &here = flow_at(number);
        if (here.settled) {
            continue;
        }
        here.settled = true;
        here.rate = rate;
        for (const int each : here.links) {
            at(each).free -= rate;
            --at(each).open;
        }
    }
}

void flow_network::settle(cycle now) {
    if (changed_.empty()) {
        return;
    }
    // All flows on the links that have changed count as settled until they are met.
    std::vector<int> links;
    std::vector<int> flows;
    for (const int each : changed_) {
        for (const int number : at(each).flows) {
            flow_at(number).settled = true;
        }
    }
    collect(links, flows);
    changed_.clear();
    for (const int number : flows) {
        flow &here = flow_at(number);
        here.left -= here.rate * static_cast<double>(now - here.since);
        here.since = now;
    }
    share(links);
    for (const int number : flows) {
        flow &here = flow_at(number);
        const double cycles = std::max(0.0, std::ceil(here.left / here.rate - rounding));
        ends_.push({now + static_cast<cycle>(cycles), here.order, number, ++here.version});
    }
}

void flow_network::drop_old_ends() {
    while (!ends_.empty() && ends_.top().version != flow_at(ends_.top().flow).version) {
        ends_.pop();
    }
}

cycle flow_network::next(cycle now) {
    settle(now);
    drop_old_ends();
    return ends_.empty() ? never : ends_.top().at;
}

std::vector<int> flow_network::take(cycle now) {
    std::vector<int> ended;
    settle(now);
    for (drop_old_ends(); !ends_.empty() && ends_.top().at <= now; drop_old_ends()) {
        const int number = ends_.top().flow;
        ends_.pop();
        flow &here = flow_at(number);
        ++here.version;
        const bool shared = here.rate != 0;
        for (const int each : here.links) {
            if (shared) {
                std::erase(at(each).flows, number);
                changed_.push_back(each);
            }
        }
        here.links.clear();
        free_.push_back(number);
        ended.push_back(number);
    }
    return ended;
}

double flow_network::rate(int flow, cycle now) {
    settle(now);
    return flow_at(flow).rate;
}

std::string flow_network::described() const {
    return "flows over a " + name_of_topology(machine_) + ", " + routing_->name() + " routing";
}

std::vector<link_traffic> flow_network::links() const {
    std::vector<link_traffic> all;
    for (std::size_t number = 0; number < joined_.channels().size(); ++number) {
        const channel &way = joined_.channels()[number];
        if (!way.broken) {
            all.push_back(
                {way.from, way.to, links_[number].bytes / static_cast<std::int64_t>(sizeof(word)), 0, 0});
        }
    }
    return all;
}

} // namespace lisle::tile
