// SPDX-License-Identifier: Apache-2.0
#include "tile/network/wiring.hpp"

#include <algorithm>
#include <stdexcept>

namespace lisle::tile {

wiring::wiring(int routers, const parameters &machine)
    : exits_(static_cast<std::size_t>(routers)), entrances_(static_cast<std::size_t>(routers)),
      cores_at_(static_cast<std::size_t>(routers)), works_(static_cast<std::size_t>(routers), 1) {
    usual_.width = static_cast<int>(machine.link_width);
    usual_.period = machine.link_period;
    usual_.latency = machine.link_cycles;
}

void wiring::join(int from, int to, int exit) {
    std::vector<int> &exits = exits_[static_cast<std::size_t>(from)];
    std::vector<int> &entrances = entrances_[static_cast<std::size_t>(to)];
    channel made = usual_;
    made.from = from;
    made.to = to;
    made.exit = exit == none ? static_cast<int>(exits.size()) : exit;
    made.entrance = static_cast<int>(entrances.size());
    exits.resize(std::max(exits.size(), static_cast<std::size_t>(made.exit) + 1), none);
    exits[static_cast<std::size_t>(made.exit)] = static_cast<int>(channels_.size());
    entrances.push_back(static_cast<int>(channels_.size()));
    channels_.push_back(made);
}

void wiring::attach(int router) {
    cores_at_[static_cast<std::size_t>(router)].push_back(cores());
    router_of_.push_back(router);
}

void wiring::change(const parameters &machine) {
    for (const link_change &each : machine.links) {
        bool found = false;
        for (channel &way : channels_) {
            if (std::minmax(way.from, way.to) != std::minmax(each.from, each.to)) {
                continue;
            }
            found = true;
            way.width = each.width != 0 ? static_cast<int>(each.width) : way.width;
            way.period = each.period != 0 ? each.period : way.period;
            way.latency = each.latency != 0 ? each.latency : way.latency;
            way.broken |= each.broken;
        }
        if (!found) {
            throw std::invalid_argument("there is no link between routers " + std::to_string(each.from) +
                                        " and " + std::to_string(each.to));
        }
        broken_ += each.broken ? 1 : 0;
    }
    for (const int router : machine.broken_routers) {
        if (router >= routers()) {
            throw std::invalid_argument("there is no router " + std::to_string(router) + " of " +
                                        std::to_string(routers()));
        }
        works_[static_cast<std::size_t>(router)] = 0;
        ++broken_;
        for (channel &way : channels_) {
            way.broken |= way.from == router || way.to == router;
        }
    }
}

void wiring::check_connected() const {
    std::vector<char> reached(exits_.size());
    std::vector<int> next;
    int first = none;
    for (int core = 0; core < cores(); ++core) {
        const int router = router_of(core);
        if (!works(router)) {
            continue;
        }
        if (first == none) {
            first = core;
            reached[static_cast<std::size_t>(router)] = 1;
            next.push_back(router);
        }
        while (!next.empty()) {
            const int from = next.back();
            next.pop_back();
            for (const int way : exits(from)) {
                const channel *const link = way == none ? nullptr : &channels_[static_cast<std::size_t>(way)];
                if (link != nullptr && !link->broken && reached[static_cast<std::size_t>(link->to)] == 0) {
                    reached[static_cast<std::size_t>(link->to)] = 1;
                    next.push_back(link->to);
                }
            }
        }
        if (reached[static_cast<std::size_t>(router)] == 0) {
            throw std::invalid_argument("no link leads from tile " + std::to_string(first) + " to tile " +
                                        std::to_string(core));
        }
    }
}

} // namespace lisle::tile
