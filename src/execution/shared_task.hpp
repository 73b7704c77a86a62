// SPDX-License-Identifier: Apache-2.0
// Helping while waiting: a rank declares a task of many chunks, and ranks of the process that wait run some
// of them. A task lives on its owner's stack; a helper announces itself before it looks at one, and the owner
// leaves only when nobody is announced. See docs/design/waiting.md.
#pragma once

#include <atomic>
#include <cstdint>

namespace lisle {

class job;

namespace detail {
/// Tasks that have chunks nobody has taken. Relaxed where it only saves a look; see offered().
extern constinit std::atomic<int> tasks_with_chunks;
} // namespace detail

/// True if there is something to help with.
[[nodiscard]] inline bool help_wanted() noexcept {
    return detail::tasks_with_chunks.load(std::memory_order_relaxed) != 0;
}

/// Runs one chunk of some task of the process that `rank` (its number in the job) may help with; false if
/// there is none. From any thread.
bool help_once(int rank);

/// Any rank may help.
constexpr int any_helper = -1;

/// Runs function(context, chunk) for all chunks, with the help of ranks of `here` that wait.
/// @param helper who may help: a rank of `here`, by its number in the job, or any_helper
/// @param wait called again and again while others finish theirs: makes progress, lets others run
void share_task(job &here, int helper, std::int64_t chunks, void (*function)(void *context, long chunk),
                void *context, void (*wait)());

} // namespace lisle
