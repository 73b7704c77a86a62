// SPDX-License-Identifier: Apache-2.0
// PMIx, the interface of Slurm, PRRTE and Open MPI's launcher. The client library is loaded when a job needs
// it, so that a job on one node starts without it. Values travel on demand: get() asks the launcher for one
// process's value, and fence() exchanges nothing in full. [PMIx standard 4.1]
#pragma once

#include <memory>

#include "world/pmi/process_manager.hpp"

namespace lisle {

/// Connects to the PMIx server that started this process. Null where this library was built without PMIx's
/// header. Throws mpi_error if the client library cannot be loaded or the server does not answer.
[[nodiscard]] std::unique_ptr<process_manager> connect_to_pmix();

} // namespace lisle
