// SPDX-License-Identifier: Apache-2.0
// A memory barrier in all threads of the job, so that one side of an ordering, the one that comes often,
// needs no fence: it keeps the compiler from moving its store and its load, and the rare side calls
// remote_barrier() between its own two. Then at least one of both sees what the other has stored.
#pragma once

#include <atomic>

namespace lisle {

/// Registers this process for remote_barrier() from any process. False: the system has no such barrier (an
/// old kernel, or a container that forbids membarrier), so no process may rely on it.
[[nodiscard]] bool expect_remote_barriers() noexcept;

/// Returns after a full memory barrier in each thread, of all processes that expect it, that runs; those that
/// do not run pass one when they are switched to. Takes a microsecond or some.
void remote_barrier() noexcept;

/// The often executed side: keeps the compiler from moving stores before it behind loads after it.
inline void meet_remote_barriers() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

} // namespace lisle
