// SPDX-License-Identifier: Apache-2.0
// The neighbourhood collectives: each rank sends a block along each of its edges and receives one from each
// of its sources. One algorithm serves all of them, since the neighbourhood is all that there is to know.
#pragma once

#include <span>

#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// Serves MPI_Neighbor_allgather(v) and MPI_Neighbor_alltoall(v, w): block i of `send` goes to destination
/// i, block i of `receive` comes from source i, in the order of the communicator's topology. Messages of
/// several edges between the same two ranks match in the order of the edges.
/// @pre the communicator has a topology, and there are as many blocks as edges
[[nodiscard]] schedule plan_neighbours(const communicator &comm, std::span<const typed_buffer> send,
                                       std::span<const typed_buffer> receive);

} // namespace lisle::collective
