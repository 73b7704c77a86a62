// SPDX-License-Identifier: Apache-2.0
// What a modelled machine is made of: the size of its mesh, its buffers, and what each action costs in
// cycles. Each parameter has a name, a default and a source; a small text file changes them ("name = value",
// "#" begins a comment). Single links and routers have lines of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tile/network/geometry.hpp"

namespace lisle::tile {

/// A point in virtual time, or a length of it, in cycles of the machine's one clock.
using cycle = std::int64_t;

// Values of parameters that are words; in the order of their words in parameters.cpp.
enum class topology : std::uint8_t { mesh, torus, ring, fat_tree, dragonfly, graph };
enum class route : std::uint8_t { fixed, adaptive, valiant, odd_even, up_down, own };

/// A link between two routers, in both directions, that differs from the others.
struct link_change {
    int from = 0, to = 0;
    std::int64_t width = 0, period = 0; ///< 0: as all links have it
    cycle latency = 0;                  ///< 0: likewise
    bool broken = false;
    int network = 0; ///< of several
};

/// What a packet is, for machines with several networks: one without data, one of few bytes, another.
enum class packet_class : std::uint8_t { control, small, large };
inline constexpr std::size_t packet_classes = 3;

/// Besides the network that all of the parameters describe, a machine may have others, which differ from it.
struct network_parameter {
    int network;
    std::string name;
    std::int64_t value;
};

/// How routers are joined and how packets find their way.
struct network_parameters {
    std::int64_t topology, depth, concentration_x, concentration_y;
    std::int64_t tree_arity, router_cores, group_routers, global_links;
    std::int64_t routing, virtual_channels, contention, seed;
    std::int64_t link_width, link_period;
    cycle link_cycles, router_cycles, credit_cycles;

    std::string graph;     ///< a file of links, for topology = graph
    std::string extension; ///< a shared object (tile/network/extension.hpp)
    std::vector<link_change> links;
    std::vector<int> broken_routers;

    static constexpr int most_networks = 8;
    static constexpr int all_in_turn = -1;
    std::vector<network_parameter> others;               ///< of networks 1 and more
    std::array<int, packet_classes> carried_by{0, 0, 0}; ///< by class: a network, or all in turn
    std::int64_t small_bytes;
};

enum class grain : std::uint8_t { cycle, flow };

/// What a machine is whose messages are flows, not words.
struct flow_parameters {
    std::int64_t grained, host_ranks, host_duplex, eager_bytes;
    cycle send_cycles, receive_cycles, gap_cycles, wire_cycles;
    cycle memory_cycles;
    std::int64_t memory_bytes, memory_period;
};

/// The files of all ranks, which lie on one device, and what is spent besides time.
struct device_parameters {
    cycle file_cycles;
    std::int64_t file_bytes;
    std::int64_t hop_picojoules, work_picojoules, idle_picojoules;
};

/// The caches of the cores, and the memory behind them (tile/memory).
struct memory_parameters {
    std::int64_t cache_bytes, cache_line, cache_ways;
    cycle dram_cycles, dram_line_cycles;
    std::int64_t dram_misses, dram_channels;
};

struct parameters : network_parameters, flow_parameters, device_parameters, memory_parameters {
    // the mesh
    std::int64_t width, height;
    std::int64_t port_output_words, port_input_words, link_words;
    cycle header_cycles;
    std::int64_t clock_mhz;
    // the core and its network interface
    cycle interrupt_entry_cycles, interrupt_exit_cycles;
    cycle send_word_cycles, receive_word_cycles, packet_cycles;
    cycle watchdog_cycles, watchdog_word_cycles;
    // the message library
    cycle call_cycles, match_cycles, step_cycles, allocate_cycles, copy_word_cycles, clock_cycles;
    // programs
    cycle trapezoid_point_cycles, pi_point_cycles, jacobi_point_cycles, product_step_cycles;
    std::int64_t shared_memory_percent;

    /// The defaults: a Raw processor of 4 x 4 tiles.
    parameters();

    [[nodiscard]] int tiles() const noexcept { return static_cast<int>(width * height * depth); }
    /// The tiles as the software numbers them; the layers of a mesh in three dimensions stand one below the
    /// other.
    [[nodiscard]] mesh_shape shape() const noexcept {
        return {static_cast<int>(width), static_cast<int>(height * depth)};
    }
    [[nodiscard]] tile::topology joined() const noexcept { return static_cast<tile::topology>(topology); }
    [[nodiscard]] bool flows() const noexcept { return grained == static_cast<std::int64_t>(grain::flow); }
    [[nodiscard]] route routed() const noexcept { return static_cast<route>(routing); }
    [[nodiscard]] int networks() const noexcept;
    /// A machine with one of the networks alone. Throws std::invalid_argument with a sentence if one of its
    /// parameters is not a network's, or out of its range.
    [[nodiscard]] parameters network_alone(int which) const;
    /// The class of a packet with so many bytes of data.
    [[nodiscard]] packet_class class_of(std::size_t bytes) const noexcept {
        return bytes == 0                                       ? packet_class::control
               : bytes <= static_cast<std::size_t>(small_bytes) ? packet_class::small
                                                                : packet_class::large;
    }
};

/// One row of the table of parameters.
struct parameter {
    std::string_view name;
    std::int64_t parameters::*value;
    std::int64_t initially, least, most;
    std::string_view unit;
    std::string_view meaning;
    std::string_view source;                        ///< where the default comes from
    std::span<const std::string_view> choices = {}; ///< the words that stand for the values; empty: numbers
};

[[nodiscard]] std::span<const parameter> parameter_table() noexcept;

/// Changes one parameter. Throws std::invalid_argument with a sentence if there is no such name or the value
/// is out of its range.
void set_parameter(parameters &changed, std::string_view name, std::int64_t value);

/// Reads "name = value" lines over `changed`. Throws std::invalid_argument, naming `file` and the line, also
/// if a name stands twice.
/// @return the names that the file gives
std::set<std::string> read_parameters(parameters &changed, std::istream &from, const std::string &file);

/// Writes a file that read_parameters() accepts, with meaning and source of each parameter as comments.
void write_parameters(const parameters &written, std::ostream &to);

/// Reads "A B [width N] [period N] [latency N] [network N]": a link between two routers. Throws
/// std::invalid_argument.
[[nodiscard]] link_change read_link(std::string_view words);

} // namespace lisle::tile
