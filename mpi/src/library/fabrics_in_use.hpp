// SPDX-License-Identifier: Apache-2.0
// Which fabrics a process uses: the node's own, beside it the network if the job is on several nodes, or the
// one that the program was started on (lislerun --fabric).
#pragma once

#include <string>
#include <vector>

#include "fabric/local/read_thresholds.hpp"
#include "library/process.hpp"

namespace lisle {

/// The preferred one first. Throws mpi_error (MPI_ERR_OTHER) if LISLE_FABRIC names none that there is.
/// @param nodes of the job
[[nodiscard]] std::vector<fabric_maker> fabrics_in_use(int nodes);

/// A fabric that is a module, and whether it is here.
struct known_module {
    std::string form; ///< of the value of LISLE_FABRIC that asks for it
    std::string file;
    bool installed;
};
[[nodiscard]] std::vector<known_module> known_modules();

/// Which messages are read from the memory of other processes on the machine.
[[nodiscard]] fabric::local::read_thresholds reads_of_other_processes();

} // namespace lisle
