// SPDX-License-Identifier: Apache-2.0
// Tells ThreadSanitizer of orders between accesses to a window's memory that a rank in another process makes:
// what a thread has done for it or before it let it go on comes before what another thread of this process
// does afterwards. Windows alone need this: of all of Lisle, they alone let ranks of one process use the same
// memory.
#pragma once

#include "base/thread_sanitizer.hpp"
#include "rma/state/window_members.hpp"

namespace lisle::rma {

/// What the calling thread has done so far comes before what other threads of its process do after their next
/// call of this, if ranks of the window are in other processes: else all orders can be seen. Called where a
/// thread accesses memory, serves a request or synchronises. Nothing in builds without ThreadSanitizer.
inline void note_order_by_peers(const window_members &members) {
    note_acquire_by_peer([&]() -> void * {
        const member_table &table = members.table();
        for (int rank = 0; rank < members.size(); ++rank) {
            if (table.members[rank].facts.process != table.process) {
                note_release_by_peer(table.members); // at one address in all threads of the process
                return table.members;
            }
        }
        return nullptr;
    });
}

} // namespace lisle::rma
