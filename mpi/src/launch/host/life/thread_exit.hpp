// SPDX-License-Identifier: Apache-2.0
// Destructors of thread-local objects of a rank's first thread. A process runs them in exit; the C library
// has no call for that, so the host keeps the list of these threads itself.
#pragma once

namespace lisle::host {

/// Runs the calling thread's list, last in, first out. Empty for all but first threads.
void run_thread_exits() noexcept;

} // namespace lisle::host
