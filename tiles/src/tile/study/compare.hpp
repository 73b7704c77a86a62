// SPDX-License-Identifier: Apache-2.0
// `lisle-tiles compare`: one MPI program on two machines, side by side.
#pragma once

#include <string>
#include <vector>

namespace lisle::tile::study {

struct comparison {
    std::string first, second;        ///< files of parameters
    std::vector<std::string> program; ///< and its arguments
    int ranks = 0;                    ///< 0: one for each tile
};

/// Runs the program with lislerun, which lies beside this command, on each machine, and prints a table of
/// what both took. Throws std::runtime_error if a run fails.
void compare_machines(const comparison &asked);

} // namespace lisle::tile::study
