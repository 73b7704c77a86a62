// SPDX-License-Identifier: Apache-2.0
// The C library's functions for signals, as the host itself uses them: for the process and its threads.
#pragma once

#include "launch/host/rank/real.hpp"
#include "launch/host/signals/signal_bits.hpp"

#include <csignal>
#include <ctime>
#include <pthread.h>
#include <sys/time.h>

namespace lisle::host::kernel {

inline const real<"sigaction", int(int, const struct sigaction *, struct sigaction *)> set_action;
inline const real<"pthread_sigmask", int(int, const sigset_t *, sigset_t *)> change_mask;
inline const real<"sigaltstack", int(const stack_t *, stack_t *)> set_stack;
inline const real<"raise", int(int)> raise;
inline const real<"kill", int(pid_t, int)> kill;
inline const real<"pthread_sigqueue", int(pthread_t, int, sigval)> queue;
inline const real<"timer_create", int(clockid_t, sigevent *, timer_t *)> create_timer;
inline const real<"timer_delete", int(timer_t)> delete_timer;
inline const real<"syscall", long(long, ...)> call;

/// Sets the calling thread's mask; returns the former one.
inline signal_bits exchange_mask(signal_bits mask) noexcept {
    const sigset_t set = set_of(mask);
    sigset_t former;
    sigemptyset(&former);
    change_mask(SIG_SETMASK, &set, &former);
    return bits_of(former);
}

/// While one of these lives, the calling thread gets no signal but faults of its own.
class all_blocked {
  public:
    all_blocked() : before_(exchange_mask(all_signals)) {}
    ~all_blocked() { exchange_mask(before_); }
    all_blocked(const all_blocked &) = delete;
    all_blocked &operator=(const all_blocked &) = delete;

  private:
    const signal_bits before_;
};

} // namespace lisle::host::kernel
