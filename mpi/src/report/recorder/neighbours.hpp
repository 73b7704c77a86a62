// SPDX-License-Identifier: Apache-2.0
// Who exchanges data in the neighbourhood collectives of a communicator with a topology [MPI-5.0 8.6].
#pragma once

#include <vector>

#include "mpi.h"

namespace lisle::report {

struct neighbours {
    std::vector<int>
        sources;          ///< ranks of the communicator whose data this rank takes, MPI_PROC_NULL among them
    int destinations = 0; ///< how many take its
};

/// None if the communicator has no topology.
[[nodiscard]] neighbours neighbours_of(MPI_Comm comm);

} // namespace lisle::report
