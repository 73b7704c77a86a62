// SPDX-License-Identifier: Apache-2.0
// Helping while waiting: a rank declares a task of many chunks, and ranks of the process that wait run some
// of them. A task lives on its owner's stack; a helper announces itself before it looks at one, and the owner
// leaves only when nobody is announced. See mpi/docs/design/waiting.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "execution/doorbell_row.hpp"

namespace lisle {

class rank;

namespace detail {
/// Tasks that have chunks nobody has taken. Relaxed where it only saves a look; see offered().
extern constinit std::atomic<int> tasks_with_chunks;
} // namespace detail

/// True if there is something to help with.
[[nodiscard]] inline bool help_wanted() noexcept {
    return detail::tasks_with_chunks.load(std::memory_order_relaxed) != 0;
}

/// Runs one chunk of some task of the process that `helper` may help with; false if there is none. From any
/// thread.
bool help_once(const rank &helper);

/// Runs function(context, chunk) for all chunks, with the help of one other rank of the process if it waits.
/// @param wait called again and again while the helper finishes its chunk: makes progress, lets others run
void share_task(const rank &helper, std::int64_t chunks, void (*function)(void *context, long chunk),
                void *context, void (*wait)());
/// The same with the help of all ranks of the process that wait. First calls what before_sharing() has named.
/// @param helpers their bells
void share_task(const doorbell_row &helpers, std::int64_t chunks, void (*function)(void *context, long chunk),
                void *context, void (*wait)());

/// From now on this is called before other ranks' threads run a function of a program's, by the thread that
/// shares it. @pre no rank runs
void before_sharing(void (*called)()) noexcept;

} // namespace lisle
