// SPDX-License-Identifier: Apache-2.0
#include "tile/network/parameters.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace lisle::tile {

namespace {

constexpr std::string_view thesis = "Psota, rMPI (MIT 2005)";
constexpr std::string_view paper = "Taylor et al., Evaluation of the Raw microprocessor (ISCA 2004)";
constexpr std::string_view assumed = "assumed: the thesis gives none; sweep it";

constexpr std::int64_t many = 1'000'000'000;

constexpr std::string_view ours = "of this model";

constexpr std::array<std::string_view, 6> topologies{"mesh",     "torus",     "ring",
                                                     "fat_tree", "dragonfly", "graph"};
constexpr std::array<std::string_view, 6> routes{"fixed",    "adaptive", "valiant",
                                                 "odd_even", "up_down",  "own"};
constexpr std::array<std::string_view, 2> answers{"off", "on"};
constexpr std::array<std::string_view, 2> grains{"cycle", "flow"};

using p = parameters;
constexpr std::array table{
    parameter{"topology", &p::topology, 0, 0, topologies.size() - 1, "words",
              "how routers are joined: mesh, torus, ring, fat_tree, dragonfly, graph", thesis, topologies},
    parameter{"width", &p::width, 4, 1, 1024, "tiles", "columns of the mesh", thesis},
    parameter{"height", &p::height, 4, 1, 1024, "tiles", "rows of the mesh", thesis},
    parameter{"depth", &p::depth, 1, 1, 1024, "tiles", "layers of a mesh or torus in three dimensions", ours},
    parameter{"concentration_x", &p::concentration_x, 1, 1, 16, "tiles",
              "columns of tiles that share a router of a mesh or torus", ours},
    parameter{"concentration_y", &p::concentration_y, 1, 1, 16, "tiles",
              "rows of tiles that share a router of a mesh or torus", ours},
    parameter{"tree_arity", &p::tree_arity, 4, 2, 1024, "links",
              "of a fat tree's switch, upwards and downwards; the tiles are a power of it", ours},
    parameter{"router_cores", &p::router_cores, 2, 1, 64, "tiles", "at a router of a dragonfly", ours},
    parameter{"group_routers", &p::group_routers, 4, 1, 64, "routers", "in a group of a dragonfly", ours},
    parameter{"global_links", &p::global_links, 2, 1, 64, "links",
              "to other groups at a router of a dragonfly", ours},
    parameter{"routing", &p::routing, 0, 0, routes.size() - 1, "words",
              "fixed (one path for each pair: dimension order, by digits, minimal), adaptive (minimal), "
              "valiant, odd_even, up_down, own (of the file's extension)",
              thesis, routes},
    parameter{"virtual_channels", &p::virtual_channels, 0, 0, 32, "channels",
              "of each link; 0: as many as the routing needs, and on a mesh with fixed routing the thesis's "
              "router, which has none",
              thesis},
    parameter{"contention", &p::contention, 1, 0, 1, "words",
              "off: no packet waits for another one in the network", ours, answers},
    parameter{"seed", &p::seed, 1, 0, many, "number", "of what is chosen at random: ways, traffic", ours},
    parameter{"link_width", &p::link_width, 1, 1, 1000, "words", "that a link carries at once", thesis},
    parameter{"link_period", &p::link_period, 1, 1, 1000, "cycles", "of a link's clock", thesis},
    parameter{"link_cycles", &p::link_cycles, 1, 1, 1000, "cycles", "of a word on a link", thesis},
    parameter{"router_cycles", &p::router_cycles, 0, 0, 1000, "cycles",
              "what a router needs for each word besides the cycle of the hop, in a pipeline", assumed},
    parameter{"credit_cycles", &p::credit_cycles, 1, 1, 1000, "cycles",
              "until the router before knows that a place is free", assumed},
    parameter{"small_bytes", &p::small_bytes, 64, 0, many, "bytes",
              "the most data of a packet of class small, on machines with several networks", ours},
    parameter{"grain", &p::grained, 0, 0, 1, "words",
              "cycle: words and routers; flow: messages as flows of bytes over links, for clusters", ours,
              grains},
    parameter{"host_ranks", &p::host_ranks, 1, 1, 4096, "ranks", "of a host, with grain = flow", ours},
    parameter{
        "host_duplex", &p::host_duplex, 1, 0, 1, "words",
        "off: what a host sends and what it receives share the bandwidth of its link, with grain = flow",
        ours, answers},
    parameter{"eager_bytes", &p::eager_bytes, 8192, 0, many, "bytes",
              "the longest message that is sent before its receive is known, with grain = flow", assumed},
    parameter{"send_cycles", &p::send_cycles, 500, 0, many, "cycles",
              "LogGP's o at the sender, for each message, with grain = flow", assumed},
    parameter{"receive_cycles", &p::receive_cycles, 500, 0, many, "cycles",
              "LogGP's o at the receiver, with grain = flow", assumed},
    parameter{"gap_cycles", &p::gap_cycles, 0, 0, many, "cycles",
              "LogGP's g: between the beginnings of a rank's messages, with grain = flow", assumed},
    parameter{"wire_cycles", &p::wire_cycles, 1000, 0, many, "cycles",
              "of each message besides its links' latencies, with grain = flow", assumed},
    parameter{"memory_cycles", &p::memory_cycles, 200, 0, many, "cycles",
              "of a message within a host, with grain = flow", assumed},
    parameter{"memory_bytes", &p::memory_bytes, 16, 1, many, "bytes",
              "that a message within a host moves in memory_period cycles, with grain = flow", assumed},
    parameter{"memory_period", &p::memory_period, 1, 1, many, "cycles", "see memory_bytes", assumed},
    parameter{"file_cycles", &p::file_cycles, 40'000, 0, many, "cycles",
              "of each access to a file (MPI_File_*), besides its bytes", assumed},
    parameter{"file_bytes", &p::file_bytes, 4, 1, many, "bytes",
              "that the device of all files moves in a cycle, for one access after the other", assumed},
    parameter{"cache_bytes", &p::cache_bytes, 32768, 0, 64 << 20, "bytes",
              "of each core's cache, for what MPIX_Tile_access names; 0: there is none", paper},
    parameter{"cache_line", &p::cache_line, 32, 4, 4096, "bytes", "of a line of the cache", paper},
    parameter{"cache_ways", &p::cache_ways, 2, 1, 64, "lines", "of a set of the cache", paper},
    parameter{"dram_cycles", &p::dram_cycles, 54, 0, many, "cycles",
              "that a core waits for a line that its cache does not hold", paper},
    parameter{"dram_misses", &p::dram_misses, 1, 1, 1024, "lines", "that a core may wait for at once", paper},
    parameter{"dram_channels", &p::dram_channels, 8, 1, 4096, "channels",
              "to memory, which tiles take in turn; with grain = flow those of a host, for its ranks", paper},
    parameter{"dram_line_cycles", &p::dram_line_cycles, 17, 0, many, "cycles",
              "in which a channel moves a line: 8 bytes at 100 MHz", paper},
    parameter{"hop_picojoules", &p::hop_picojoules, 0, 0, many, "pJ",
              "of a word of 4 bytes that crosses a link and its router", ours},
    parameter{"work_picojoules", &p::work_picojoules, 0, 0, many, "pJ",
              "of a cycle in which a core does something", ours},
    parameter{"idle_picojoules", &p::idle_picojoules, 0, 0, many, "pJ", "of a cycle in which a core waits",
              ours},
    parameter{"port_output_words", &p::port_output_words, 4, 1, 16, "words",
              "buffer between a core and the network ($CGNO)", thesis},
    parameter{"port_input_words", &p::port_input_words, 4, 1, 16, "words",
              "buffer between the network and a core ($CGNI)", thesis},
    parameter{"link_words", &p::link_words, 4, 1, 16, "words",
              "buffer of a router for each neighbour; with 1, a packet moves every second cycle", assumed},
    parameter{"header_cycles", &p::header_cycles, 0, 0, 1000, "cycles",
              "what a router needs for a header besides the cycle of the hop", assumed},
    parameter{"clock_mhz", &p::clock_mhz, 425, 1, 100000, "MHz", "turns cycles into seconds", paper},
    parameter{"interrupt_entry_cycles", &p::interrupt_entry_cycles, 40, 0, many, "cycles",
              "from the interrupt to the first instruction of its handler", assumed},
    parameter{"interrupt_exit_cycles", &p::interrupt_exit_cycles, 30, 0, many, "cycles",
              "from the end of the handler to the interrupted instruction", assumed},
    parameter{"send_word_cycles", &p::send_word_cycles, 6, 1, 10000, "cycles",
              "loop that loads a word, counts, and writes it to the port", assumed},
    parameter{"receive_word_cycles", &p::receive_word_cycles, 7, 1, 10000, "cycles",
              "loop that reads a word from the port, stores it, and counts", assumed},
    parameter{"packet_cycles", &p::packet_cycles, 80, 0, many, "cycles",
              "to form the headers of a packet and to begin its loop",
              "fitted to the thesis's broadcasts: logarithmic 3.2 times as fast as linear"},
    parameter{"watchdog_cycles", &p::watchdog_cycles, 0, 0, many, "cycles",
              "a core stalled for so long has its port drained to memory; 0: never", thesis},
    parameter{"watchdog_word_cycles", &p::watchdog_word_cycles, 20, 1, many, "cycles",
              "for each word that the watchdog drains to memory", assumed},
    parameter{"call_cycles", &p::call_cycles, 800, 0, many, "cycles",
              "checks of arguments and the layers above the network, for each call of MPI",
              "fitted to the thesis's trapezoid at 16 tiles"},
    parameter{"match_cycles", &p::match_cycles, 60, 0, many, "cycles",
              "to compute a key and look it up in one hash table", assumed},
    parameter{"step_cycles", &p::step_cycles, 8, 0, many, "cycles", "to look at one element of a list",
              assumed},
    parameter{"allocate_cycles", &p::allocate_cycles, 150, 0, many, "cycles", "a block from the heap",
              assumed},
    parameter{"copy_word_cycles", &p::copy_word_cycles, 3, 1, 10000, "cycles", "load, store, count", assumed},
    parameter{"clock_cycles", &p::clock_cycles, 60, 1, many, "cycles",
              "to read the clock and to make seconds of it in double precision, which is software", assumed},
    parameter{"trapezoid_point_cycles", &p::trapezoid_point_cycles, 70, 1, many, "cycles",
              "one value of the long rational polynomial", "fitted to the thesis's trapezoid at 16 tiles"},
    parameter{"pi_point_cycles", &p::pi_point_cycles, 25, 1, many, "cycles",
              "one value of 4 / (1 + x * x): two multiplications, an addition, a division", assumed},
    parameter{"jacobi_point_cycles", &p::jacobi_point_cycles, 30, 1, many, "cycles",
              "one point of the grid, with the memory to oneself", assumed},
    parameter{"product_step_cycles", &p::product_step_cycles, 6, 1, many, "cycles",
              "one multiplication and addition of doubles", "fitted to the thesis's matrix product"},
    parameter{"shared_memory_percent", &p::shared_memory_percent, 170, 100, 10000, "percent",
              "what work out of the caches takes while a neighbour uses the same memory port",
              "fitted to the thesis's Jacobi at 2 tiles"},
};

// What may differ from network to network.
constexpr std::array<std::string_view, 14> of_a_network{
    "topology",      "tree_arity",       "router_cores",  "group_routers", "global_links",
    "routing",       "virtual_channels", "link_width",    "link_period",   "link_cycles",
    "router_cycles", "credit_cycles",    "header_cycles", "link_words"};

} // namespace

int parameters::networks() const noexcept {
    int most = 0;
    for (const network_parameter &each : others) {
        most = std::max(most, each.network);
    }
    return most + 1;
}

parameters parameters::network_alone(int which) const {
    parameters alone = *this;
    alone.others.clear();
    alone.carried_by.fill(0);
    std::erase_if(alone.links, [&](const link_change &each) { return each.network != which; });
    for (const network_parameter &each : others) {
        if (each.network != which) {
            continue;
        }
        if (std::find(of_a_network.begin(), of_a_network.end(), each.name) == of_a_network.end()) {
            throw std::invalid_argument("network " + std::to_string(which) + " has no " + each.name +
                                        " of its own: it is that of the machine");
        }
        set_parameter(alone, each.name, each.value);
    }
    if (which != 0) {
        alone.broken_routers.clear();
    }
    return alone;
}

parameters::parameters() : network_parameters{}, flow_parameters{}, device_parameters{}, memory_parameters{} {
    for (const parameter &row : table) {
        this->*row.value = row.initially;
    }
}

std::span<const parameter> parameter_table() noexcept {
    return table;
}

void set_parameter(parameters &changed, std::string_view name, std::int64_t value) {
    for (const parameter &row : table) {
        if (row.name != name) {
            continue;
        }
        if (value < row.least || value > row.most) {
            throw std::invalid_argument(std::string(name) + " = " + std::to_string(value) + " is outside " +
                                        std::to_string(row.least) + " to " + std::to_string(row.most));
        }
        changed.*row.value = value;
        return;
    }
    throw std::invalid_argument("there is no parameter \"" + std::string(name) + "\"");
}

} // namespace lisle::tile
