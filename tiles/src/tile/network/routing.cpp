// SPDX-License-Identifier: Apache-2.0
#include "tile/network/routing.hpp"

#include <stdexcept>

#include "tile/network/extension.hpp"
#include "tile/network/random.hpp"
#include "tile/network/routings.hpp"

namespace lisle::tile {

namespace {

/// A number that is the same in each run, and else as good as drawn.
std::uint32_t drawn_for_pair(int from, int to) noexcept {
    const auto pair = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
    return static_cast<std::uint32_t>(random_numbers{pair}.next() >> 32);
}

routing_choice choose(const parameters &machine, const wiring &joined) {
    if (joined.broken() != 0 || machine.routed() == route::up_down) {
        return choose_table_routing(machine, joined);
    }
    switch (machine.joined()) {
    case topology::fat_tree:
        return choose_tree_routing(machine);
    case topology::dragonfly:
        return choose_dragonfly_routing(machine);
    case topology::graph:
        return choose_table_routing(machine, joined);
    case topology::mesh:
    case topology::torus:
    case topology::ring:
        break;
    }
    return choose_grid_routing(machine);
}

} // namespace

namespace {

std::unique_ptr<routing> make_own_routing(const parameters &machine, const wiring &joined, int &lanes) {
    const extension &own = load_extension(machine.extension);
    if (own.make_routing == nullptr) {
        throw std::invalid_argument("the extension " + machine.extension + " has no routing");
    }
    std::unique_ptr<routing> made = own.make_routing(machine, joined, lanes);
    constexpr int most = 32;
    if (made == nullptr || lanes < 1 || lanes > most) {
        throw std::invalid_argument("the extension " + machine.extension + " makes no routing, or one with " +
                                    std::to_string(lanes) + " virtual channels, which are 1 to " +
                                    std::to_string(most));
    }
    return made;
}

} // namespace

std::unique_ptr<routing> make_routing(const parameters &machine, const wiring &joined, int &lanes) {
    if (machine.routed() == route::own) {
        return make_own_routing(machine, joined, lanes);
    }
    const routing_choice chosen = choose(machine, joined);
    lanes = lanes == 0 ? chosen.least_lanes : lanes;
    if (lanes < chosen.least_lanes) {
        throw std::invalid_argument(
            "this routing needs virtual_channels = " + std::to_string(chosen.least_lanes) +
            " at least, not " + std::to_string(lanes));
    }
    return chosen.make(lanes);
}

std::unique_ptr<routing> make_fixed_routing(const parameters &machine, const wiring &joined) {
    parameters fixed = machine;
    fixed.routing = static_cast<std::int64_t>(route::fixed);
    int lanes = 0;
    return make_routing(fixed, joined, lanes);
}

path_length follow(const routing &by, const wiring &joined, const parameters &machine, int from, int to,
                   std::vector<int> *channels) {
    journey of{.from = from, .to = to, .drawn = drawn_for_pair(from, to)};
    path_length length{0, machine.router_cycles};
    std::vector<hop> may;
    for (int router = joined.router_of(from); router != joined.router_of(to);) {
        may.clear();
        by.next(of, router, may);
        by.taken(of, router, may.front());
        const int number = joined.exits(router)[static_cast<std::size_t>(may.front().exit)];
        const channel &way = joined.channels()[static_cast<std::size_t>(number)];
        if (channels != nullptr) {
            channels->push_back(number);
        }
        ++length.links;
        length.cycles += way.latency + machine.router_cycles;
        router = way.to;
    }
    return length;
}

} // namespace lisle::tile
