// SPDX-License-Identifier: Apache-2.0
// Scans of an in-process collective whose worker groups have their members in the order of ranks.
#include "base/error.hpp"
#include "collective/process/in_process.hpp"
#include "collective/wait_for.hpp"
#include "execution/rank.hpp"
#include "protocol/once_there_is_memory.hpp"

namespace lisle::collective {

void in_process_collective::end_scan(const communicator &comm, group_scan &where, std::size_t member,
                                     MPI_Count bytes, group_scan::outcome now) {
    const auto note = [&](group_scan::outcome next) {
        now = next;
        if (now.news) {
            wake(comm);
        }
        return now.done;
    };
    if (!note(now)) {
        const protocol::awaited_members members{comm.context()};
        wait_for(
            *comm.collective.home, [&] { return note(where.look(member)); }, &members);
    }
    if (now.mismatch) {
        fail(MPI_ERR_TRUNCATE, "a rank before this one gives another number of bytes than the ", bytes,
             " of this one: counts or types differ among the ranks");
    }
}

group_scan &in_process_collective::prepare_scans(worker_group &own) {
    const auto make = [this] {
        const std::size_t groups = groups_.size();
        auto rings = std::make_unique_for_overwrite<scan_ring[]>(groups - 1);
        decltype(group_scans_) made;
        for (std::size_t i = 0; i < groups; ++i) {
            scan_ring *const before = i > 0 ? &rings[i - 1] : nullptr;
            scan_ring *const after = i + 1 < groups ? &rings[i] : nullptr;
            made.push_back(std::make_unique<group_scan>(groups_[i].members.size(), before, after));
        }
        rings_ = std::move(rings);
        group_scans_ = std::move(made);
        for (std::size_t i = 0; i < groups; ++i) {
            groups_[i].scans.store(group_scans_[i].get(), std::memory_order_release);
        }
    };
    protocol::once_there_is_memory(this_rank().engine(), [&] { std::call_once(scans_made_, make); });
    return *own.scans.load(std::memory_order_relaxed);
}

} // namespace lisle::collective
