// SPDX-License-Identifier: Apache-2.0
#include "tile/network/network.hpp"

#include <stdexcept>

#include "tile/network/channel_network.hpp"
#include "tile/network/free_network.hpp"
#include "tile/network/mesh.hpp"
#include "tile/network/network_set.hpp"

namespace lisle::tile {

bool is_thesis_mesh(const parameters &machine) {
    return machine.joined() == topology::mesh && machine.routed() == route::fixed &&
           machine.virtual_channels == 0 && machine.depth == 1 && machine.concentration_x == 1 &&
           machine.concentration_y == 1 && machine.link_width == 1 && machine.link_period == 1 &&
           machine.link_cycles == 1 && machine.router_cycles == 0 && machine.credit_cycles == 1 &&
           machine.links.empty() && machine.broken_routers.empty() && machine.networks() == 1;
}

namespace {

void check_size(const parameters &machine) {
    constexpr std::int64_t most = 1 << 13; // a header has 13 bits for a row
    if (machine.height * machine.depth > most) {
        throw std::invalid_argument("height x depth = " + std::to_string(machine.height * machine.depth) +
                                    " is more than the " + std::to_string(most) + " that a header can name");
    }
}

} // namespace

void check_networks(const parameters &machine) {
    const auto check = [&](const char *what, int network) {
        if (network >= machine.networks()) {
            throw std::invalid_argument(what + std::to_string(network) +
                                        ", and the machine has networks 0 to " +
                                        std::to_string(machine.networks() - 1));
        }
    };
    for (const int by : machine.carried_by) {
        check("packets go by network ", by);
    }
    for (const link_change &each : machine.links) {
        check("a link is of network ", each.network);
    }
}

std::unique_ptr<network> make_network(const parameters &machine) {
    check_size(machine);
    check_networks(machine);
    if (machine.networks() > 1) {
        return std::make_unique<network_set>(machine);
    }
    if (machine.contention == 0) {
        return std::make_unique<free_network>(machine);
    }
    if (is_thesis_mesh(machine)) {
        return std::make_unique<mesh>(machine);
    }
    return std::make_unique<channel_network>(machine);
}

link_traffic find_busiest_link(const network &seen) {
    link_traffic most;
    for (const link_traffic &each : seen.links()) {
        most = each.words > most.words ? each : most;
    }
    return most;
}

} // namespace lisle::tile
