// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/neighbour.hpp"

namespace lisle::collective {

schedule plan_neighbours(const communicator &comm, std::span<const typed_buffer> send,
                         std::span<const typed_buffer> receive) {
    schedule plan;
    const team team = own_group(comm);
    const neighbourhood near = neighbourhood_of(*comm.shape, comm.rank());
    // Blocks without data are not sent: both sides know that. All receives first, so that nothing that
    // comes is unexpected.
    for (const int place : near.matching) {
        const auto which = static_cast<std::size_t>(place);
        if (near.sources[which] != MPI_PROC_NULL && receive[which].bytes() > 0) {
            plan.receive(receive[which], team, near.sources[which]);
        }
    }
    for (std::size_t which = 0; which < near.destinations.size(); ++which) {
        if (near.destinations[which] != MPI_PROC_NULL && send[which].bytes() > 0) {
            plan.send(send[which], team, near.destinations[which]);
        }
    }
    return plan;
}

} // namespace lisle::collective
