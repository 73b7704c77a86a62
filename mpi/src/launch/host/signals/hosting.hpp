// SPDX-License-Identifier: Apache-2.0
// What those that begin and end ranks and threads tell about them to those that handle signals.
#pragma once

#include "launch/host/signals/rank_signals.hpp"

namespace lisle::host {

/// The calling thread will run fibers: the record of its signals, which lives as long as the process.
void begin_worker(worker_signals &record) noexcept;

/// The calling thread is one more of the rank's, and is about to leave it.
void add_thread(hosted_rank &rank);
void remove_thread(hosted_rank &rank) noexcept;

/// The rank has ended: no signal is for it any more.
void end_signals(hosted_rank &rank) noexcept;

/// Makes the calling thread one of this rank, as one that the rank has started: set by who starts threads.
inline void (*begin_thread_of)(hosted_rank &rank) = nullptr;

} // namespace lisle::host
