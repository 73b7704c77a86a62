// SPDX-License-Identifier: Apache-2.0
// The output of lisle-tiles: one function for each experiment, a table beside the thesis's figures, and the
// plots that belong to it.
#pragma once

#include <filesystem>
#include <string>

#include "tile/study/experiments.hpp"

namespace lisle::tile::study {

struct report_options {
    set_up with;
    std::filesystem::path plots; ///< folder of the pictures; empty: none are drawn
    std::int64_t most_words = 100'000;
    bool small = false; ///< applications at small sizes
};

void report_packets(const report_options &options);
void report_overhead(const report_options &options);
void report_ping_pong(const report_options &options);
void report_broadcasts(const report_options &options);
void report_collectives(const report_options &options);
void report_applications(const report_options &options);
void report_deadlock(const report_options &options);
void report_heat(const report_options &options);
void report_speed(const report_options &options);

} // namespace lisle::tile::study
