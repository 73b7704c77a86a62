// SPDX-License-Identifier: Apache-2.0
// Threads of the library: the program's signal handlers do not run on them.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

#include "base/thread_order.hpp"

namespace lisle {

/// While one lives, the calling thread takes no signals, nor do threads that begin meanwhile: they inherit
/// the mask.
class signals_blocked {
  public:
    signals_blocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    signals_blocked(const signals_blocked &) = delete;
    signals_blocked &operator=(const signals_blocked &) = delete;
    ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
};

/// Begins a thread that takes no signals. Throws std::system_error if the system gives none.
template <class Body> [[nodiscard]] std::thread begin_own_thread(Body body) {
    const signals_blocked while_it_begins;
    return std::thread{[body = std::move(body)]() mutable {
        const thread_order::library_code unseen;
        body();
    }};
}

} // namespace lisle
