// SPDX-License-Identifier: Apache-2.0
// The experiments of rMPI's thesis as functions: each builds a machine of its own, runs it, and returns
// cycles.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tile/rmpi/collectives.hpp"
#include "tile/study/applications.hpp"

namespace lisle::tile::study {

/// What the experiments are done with.
struct set_up {
    parameters built;
    rmpi::version with = rmpi::version::v3;
    bool compact_map = false;
    [[nodiscard]] rmpi::rank_map tiles_for(int ranks) const;
    /// The root of collectives in the thesis: near the middle.
    [[nodiscard]] static int root_for(int ranks) noexcept { return ranks >= 8 ? 6 : ranks / 2; }
};

/// A rank's program ended in a standstill: what() describes it.
class stood_still : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Cycles of a message of some words from tile 3 to tile 7: through the library, and as bare packets.
[[nodiscard]] cycle message_cycles(const set_up &with, std::size_t words);
[[nodiscard]] cycle bare_packets_cycles(const set_up &with, std::size_t words);
/// Cycles for there and back between ranks 0 and 1.
[[nodiscard]] cycle ping_pong_cycles(const set_up &with, std::size_t words);

enum class collective { broadcast, scatter, gather, reduce, allgather, allreduce };
/// Cycles from the start of the first rank to the end of the last.
[[nodiscard]] cycle collective_cycles(const set_up &with, collective which, rmpi::algorithm algorithm,
                                      int ranks, std::size_t words);

struct application_run {
    cycle cycles;
    bool as_serial; ///< the answer is that of one rank
};
/// Runs a program on 1, 2, 4, 8 ... tiles.
struct application_speed {
    std::string name;
    std::vector<int> tiles;
    std::vector<application_run> runs;
    [[nodiscard]] double speed_up(std::size_t run) const {
        return static_cast<double>(runs[0].cycles) / static_cast<double>(runs[run].cycles);
    }
};
[[nodiscard]] application_speed measure(const set_up &with, const application_maker &make,
                                        const std::vector<int> &tiles);

/// The slope of cycles over words in a plot with logarithmic axes, by least squares.
[[nodiscard]] double fitted_exponent(const std::vector<double> &words, const std::vector<double> &cycles);

} // namespace lisle::tile::study
