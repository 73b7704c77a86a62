// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/by_fabric.hpp"

#include "collective/places.hpp"
#include "communicator/communicator_local.hpp"
#include "execution/rank.hpp"
#include "fabric/fabric.hpp"

namespace lisle::collective {

namespace {

std::unique_ptr<member_collectives> seek(const communicator &comm) {
    // Threads that are ranks share the place of one rank of the job.
    if (comm.inter() || comm.of_threads() || comm.size() == 1) {
        return nullptr;
    }
    const group &members = comm.local_group();
    const auto *const carrier =
        dynamic_cast<const fabric::fabric *>(common_carrier(this_rank().get_job(), members));
    const auto *const offering =
        carrier != nullptr ? dynamic_cast<const fabric_collectives *>(&carrier->innermost()) : nullptr;
    return offering != nullptr ? offering->among(members, comm.rank()) : nullptr;
}

const communicator_local<member_collectives> of_communicators{seek};

} // namespace

const member_collectives *collectives_of_fabric(const communicator &comm) {
    return of_communicators.of(comm);
}

} // namespace lisle::collective
