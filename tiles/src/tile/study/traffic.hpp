// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic: each tile makes packets at random times, all to tiles that a pattern names, and a queue
// without end holds those that the network does not take yet. What is measured is how long packets take, from
// when they were made to when their last word has arrived, and how much the network carries. No cores and no
// software run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tile/network/report.hpp"

namespace lisle::tile::study {

enum class pattern : std::uint8_t { uniform, transpose, bit_complement, tornado, neighbour, hotspot };
/// By pattern.
[[nodiscard]] std::vector<std::string> pattern_names();
/// Throws std::invalid_argument if there is no such pattern, or the machine's tiles do not have it.
[[nodiscard]] pattern pattern_from(std::string_view name, const parameters &machine);

struct traffic_options {
    pattern to = pattern::uniform;
    double rate = 0.1; ///< words that a tile makes in a cycle, headers included
    int payload = 7;   ///< words of a packet behind its header
    int hotspot = 0;   ///< the tile that a tenth of the packets goes to, with that pattern
    cycle warm_up = 2000, measured = 8000;
};

struct traffic_result {
    double offered = 0, accepted = 0; ///< words of a tile in a cycle, while it was measured
    bool saturated =
        false; ///< the network takes clearly less, or packets that were measured had not arrived in time
    network_report report; ///< latencies: of packets made while it was measured
};

/// The same in each run with one seed.
[[nodiscard]] traffic_result run_traffic(const parameters &machine, const traffic_options &options);

/// Runs at growing rates, `step` apart, until the network is saturated or takes the rate 1.
[[nodiscard]] std::vector<traffic_result> run_curve(const parameters &machine, traffic_options options,
                                                    double step);

} // namespace lisle::tile::study
