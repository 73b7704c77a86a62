// SPDX-License-Identifier: Apache-2.0
#include "collective/area/collective_area.hpp"

#include "collective/places.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle::collective {

std::unique_ptr<collective_area> collective_area::make(const communicator &comm, const group &members,
                                                       int self, const area_keys &keys) {
    job &here = this_rank().get_job();
    // Threads of a process that are ranks each have a context of their own.
    fabric::shared_memory *const medium =
        comm.inter() || comm.of_threads() || members.size() < 2 ? nullptr : memory_shared_by(here, members);
    if (medium == nullptr) {
        return nullptr;
    }
    std::byte *const memory = medium->block(keys.area, rank_areas::bytes(members.size()));
    if (memory == nullptr) {
        medium->leave_block(keys.area, members.size());
        return nullptr;
    }
    return std::make_unique<collective_area>(*medium, memory, keys, *comm.point_to_point.home, members, self,
                                             in_one_address_space(here, members));
}

} // namespace lisle::collective
