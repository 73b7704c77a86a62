// SPDX-License-Identifier: Apache-2.0
// How long a rank looks for news before it gives its core away, and before it sleeps: the numbers behind
// LISLE_WAIT. The waiting itself is in waiter.cpp, the reasons in mpi/docs/design/waiting.md.
#pragma once

#include <chrono>

namespace lisle::protocol {

struct spin_policy {
    /// Looks in a row, all that a peer with a core of its own needs.
    unsigned before_yield;
    /// Then each further one offers the core to any other thread; after this many looks the rank sleeps.
    unsigned before_sleep;
    /// How often a fiber polls, yielding in between, before it is parked.
    unsigned among_fibers;
    /// An offered core that comes back only after so long is needed by somebody who computes.
    std::chrono::nanoseconds long_turn = std::chrono::microseconds{30};
};

/// What the settings say, or else what suits so many threads that run ranks on so many cores.
[[nodiscard]] spin_policy spin_policy_for(int threads, int cores) noexcept;

} // namespace lisle::protocol
