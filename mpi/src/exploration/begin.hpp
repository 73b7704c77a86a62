// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lisle {
class job;
}

namespace lisle::exploration {

/// The choices of this job's run are left open, or recorded, as the orders in the folder say. Once in a
/// process, before any rank has entered. Throws mpi_error (MPI_ERR_FILE).
void begin(job &own, const std::string &folder);

} // namespace lisle::exploration
