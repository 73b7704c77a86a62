// SPDX-License-Identifier: Apache-2.0
// How signals reach ranks. The process has one handler (dispatch.cpp) for every signal about which a rank
// wants something else than the default, or which a rank blocks. It finds out whose signal this is, keeps it
// there (rank_signals), and rings a thread of that rank: by the same signal, which the thread's mask holds
// back as long as it would hold back the signal itself. The handler on that thread takes the signal and lets
// the rank's own handler run where the thread was interrupted (architecture/signal_frame.hpp).
//
// | a signal                                   | is the one of                                        |
// |--------------------------------------------|------------------------------------------------------|
// | fault of an instruction                    | the thread or fiber that runs it, at once            |
// | raise, pthread_kill, kill(getpid()) ...    | the rank that calls                                  |
// | of a timer                                 | the rank that has set it                             |
// | of the kernel to a thread (SIGPIPE)        | the rank of that thread                              |
// | end of a child (SIGCHLD)                   | the rank that has started it, or all if none is known |
// | from outside                               | every rank                                           |
//
// A fiber that does not run is rung by its doorbell, too. When it runs again (after_turn), the worker's
// thread gets its mask, and is rung for what has been sent to it.
//
// The dispatcher is async-signal-safe: it runs with all signals blocked, takes one spin lock, whose holders
// block all signals as well, allocates nothing, and calls what POSIX allows or what is a plain system call.
#pragma once

#include "launch/host/rank/calls.hpp"
#include "launch/host/signals/rank_signals.hpp"

namespace lisle::host {

/// A rank has used signals for the first time.
void begin_to_dispatch_locked() noexcept;

/// From now on the process's handler gets these signals. Returns those that it cannot have, since Lisle
/// itself uses them.
signal_bits watch_locked(signal_bits signals) noexcept;
[[nodiscard]] bool is_watched(int signal) noexcept;
/// Whether the process was started with this signal ignored.
[[nodiscard]] bool process_ignores(int signal) noexcept;

/// A signal from the rank itself.
[[nodiscard]] siginfo_t own_signal(int signal, int code) noexcept;

/// In a forked child, which is a process as others: the kernel does from now on what the rank's tables say.
void become_process() noexcept;

/// A fiber has begun to run, or goes on.
void after_turn() noexcept;

} // namespace lisle::host
