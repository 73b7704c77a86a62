// SPDX-License-Identifier: Apache-2.0
// Threads of the library: the program's signal handlers do not run on them.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

#include "base/thread_order.hpp"

namespace lisle {

/// Begins a thread that takes no signals. Throws std::system_error if the system gives none.
template <class Body> [[nodiscard]] std::thread begin_own_thread(Body body) {
    // A thread inherits the mask of blocked signals.
    class all_blocked {
      public:
        all_blocked() noexcept {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before_);
        }
        all_blocked(const all_blocked &) = delete;
        all_blocked &operator=(const all_blocked &) = delete;
        ~all_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

      private:
        sigset_t before_;
    };
    const all_blocked while_it_begins;
    return std::thread{[body = std::move(body)]() mutable {
        const thread_order::library_code unseen;
        body();
    }};
}

} // namespace lisle
