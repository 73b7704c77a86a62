// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithms/by_fabric.hpp"

#include "collective/places.hpp"
#include "fabric/fabric.hpp"

namespace lisle::collective {

namespace {

std::shared_ptr<const member_collectives> seek(const communicator &comm) {
    // Threads that are ranks share the place of one rank of the job.
    if (comm.inter() || comm.of_threads() || comm.size() == 1) {
        return nullptr;
    }
    const group &members = comm.local_group();
    const auto *const offering = dynamic_cast<const fabric_collectives *>(common_carrier(members));
    return offering != nullptr ? offering->among(members, comm.rank()) : nullptr;
}

} // namespace

const member_collectives *collectives_of_fabric(const communicator &comm) {
    communicator::companion &found = comm.fabric_companion;
    if (!found.sought) [[unlikely]] {
        found.sought = true;
        found.kept = std::const_pointer_cast<member_collectives>(seek(comm));
    }
    return static_cast<const member_collectives *>(found.kept.get());
}

} // namespace lisle::collective
