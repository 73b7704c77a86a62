// SPDX-License-Identifier: Apache-2.0
// The output of `lisle-tiles traffic`: a table of rates, a picture, and files for other programs.
#pragma once

#include <filesystem>

#include "tile/study/traffic.hpp"

namespace lisle::tile::study {

struct traffic_request {
    std::string pattern = "uniform"; ///< "all": each that the machine has
    double rate = 0;                 ///< 0: a curve of rates
    double step = 0.05;              ///< of the curve
    int payload = 7;
    int hotspot = 0;
    std::filesystem::path out; ///< folder of files; empty: none are written
};

/// Prints the table; writes curve.csv, curve.json and a picture, and with one rate what report.hpp writes.
void report_traffic(const parameters &machine, const traffic_request &request);

} // namespace lisle::tile::study
