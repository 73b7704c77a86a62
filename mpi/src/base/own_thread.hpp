// SPDX-License-Identifier: Apache-2.0
// Threads of the library: the program's signal handlers do not run on them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <pthread.h>
#include <thread>
#include <unistd.h>
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

/// While one lives, the calling thread is known as one of the library's own.
class own_thread {
  public:
    own_thread() noexcept {
        for (std::atomic<pid_t> &each : known_) {
            pid_t none = 0;
            // Relaxed, as all uses: a thread is asked for that has begun to wait long ago.
            if (each.compare_exchange_strong(none, gettid(), std::memory_order_relaxed)) {
                place_ = &each;
                return;
            }
        }
    }
    own_thread(const own_thread &) = delete;
    own_thread &operator=(const own_thread &) = delete;
    ~own_thread() {
        if (place_ != nullptr) {
            place_->store(0, std::memory_order_relaxed);
        }
    }

    /// False also where there was no room to note it.
    [[nodiscard]] static bool is_one(pid_t thread) noexcept {
        return std::ranges::any_of(known_, [thread](const std::atomic<pid_t> &each) {
            return each.load(std::memory_order_relaxed) == thread;
        });
    }

  private:
    static constexpr std::size_t most = 64;
    static inline std::array<std::atomic<pid_t>, most> known_{};
    std::atomic<pid_t> *place_ = nullptr;
};

/// Begins a thread that takes no signals. Throws std::system_error if the system gives none.
template <class Body> [[nodiscard]] std::thread begin_own_thread(Body body) {
    const signals_blocked while_it_begins;
    return std::thread{[body = std::move(body)]() mutable {
        const thread_order::library_code unseen;
        const own_thread known;
        body();
    }};
}

} // namespace lisle
