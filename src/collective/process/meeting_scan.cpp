// SPDX-License-Identifier: Apache-2.0
// Scans of a meeting whose tables have their members in the order of ranks.
#include "collective/process/meeting.hpp"
#include "collective/node/wait_for.hpp"
#include "base/error.hpp"

namespace lisle::collective {

void meeting::end_scan(const communicator &comm, scan_table &where, std::size_t member, MPI_Count bytes,
                       scan_table::outcome now) {
    const auto note = [&](scan_table::outcome next) {
        now = next;
        if (now.news) {
            wake(comm);
        }
        return now.done;
    };
    if (!note(now)) {
        wait_for(*comm.collective.home, [&] { return note(where.look(member)); });
    }
    if (now.misfit) {
        fail(MPI_ERR_TRUNCATE, "a rank before this one gives another number of bytes than the ", bytes,
             " of this one: counts or types differ among the ranks");
    }
}

scan_table &meeting::prepare_scans(table &own) {
    std::call_once(scans_made_, [this] {
        const std::size_t tables = tables_.size();
        relays_ = std::make_unique_for_overwrite<relay[]>(tables - 1);
        for (std::size_t i = 0; i < tables; ++i) {
            relay *const before = i > 0 ? &relays_[i - 1] : nullptr;
            relay *const after = i + 1 < tables ? &relays_[i] : nullptr;
            scan_tables_.push_back(std::make_unique<scan_table>(tables_[i].members.size(), before, after));
            tables_[i].scans.store(scan_tables_.back().get(), std::memory_order_release);
        }
    });
    return *own.scans.load(std::memory_order_relaxed);
}

} // namespace lisle::collective
