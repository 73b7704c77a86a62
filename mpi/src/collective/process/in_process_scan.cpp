// SPDX-License-Identifier: Apache-2.0
// Scans of an in-process collective whose worker groups have their members in the order of ranks.
#include "base/error.hpp"
#include "collective/process/in_process.hpp"
#include "collective/wait_for.hpp"

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
    std::call_once(scans_made_, [this] {
        const std::size_t groups = groups_.size();
        rings_ = std::make_unique_for_overwrite<scan_ring[]>(groups - 1);
        for (std::size_t i = 0; i < groups; ++i) {
            scan_ring *const before = i > 0 ? &rings_[i - 1] : nullptr;
            scan_ring *const after = i + 1 < groups ? &rings_[i] : nullptr;
            group_scans_.push_back(std::make_unique<group_scan>(groups_[i].members.size(), before, after));
            groups_[i].scans.store(group_scans_.back().get(), std::memory_order_release);
        }
    });
    return *own.scans.load(std::memory_order_relaxed);
}

} // namespace lisle::collective
