// SPDX-License-Identifier: Apache-2.0
// A worker's fibers are its own thread's to look at. So the watching thread sees only that a worker has not
// switched since the last look, and sends that thread a signal, whose handler looks.
#include "library/fiber_watchdog.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <list>
#include <mutex>
#include <pthread.h>
#include <string>
#include <system_error>
#include <thread>

#include "abi/call_place.hpp"
#include "base/error.hpp"
#include "base/own_thread.hpp"
#include "base/program_counter.hpp"
#include "base/settings.hpp"
#include "diagnosis/source_line.hpp"

namespace lisle {

namespace {

constexpr std::size_t most_named = 8;
constexpr std::chrono::milliseconds time_to_answer{50};

/// A question to a worker's thread, which the handler of a signal answers. A thread may block the signal as
/// long as it likes, so nobody waits for the answer.
struct question {
    /// Whose thread it is; null: the worker is gone, and nobody wants to know. Written with the thread's own
    /// consent, so an answer under way sees it as it was.
    std::atomic<const fiber_worker *> worker{nullptr};
    bool asked = false;                ///< and not taken notice of
    std::atomic<bool> answered{false}; ///< release by the handler, acquire by the thread that asks
    fiber_worker::monopoly what{};
    std::array<int, most_named> held_up{};
    const void *at = nullptr;
};

void look(int, siginfo_t *information, void *context) {
    const int error_number = errno;
    auto &asked = *static_cast<question *>(information->si_value.sival_ptr);
    // Relaxed: this is the thread that has written it.
    if (const fiber_worker *const worker = asked.worker.load(std::memory_order_relaxed)) {
        asked.what = worker->find_monopoly(asked.held_up);
        asked.at = program_counter(context);
        asked.answered.store(true, std::memory_order_release);
    }
    errno = error_number;
}

struct watched_worker {
    /// By the worker's thread.
    watched_worker(const fiber_worker &one, int first) noexcept : worker{one}, first_rank{first} {
        asked.worker.store(&one, std::memory_order_relaxed);
    }

    const fiber_worker &worker;
    const pthread_t thread = pthread_self();
    const int first_rank;
    unsigned switches = worker.switches();
    bool named = false; ///< what runs since the last switch
    question asked;
};

class watching_thread {
  public:
    /// The calling thread is the worker's, in both.
    void add(const fiber_worker &worker, int first_rank) {
        const std::scoped_lock guard{mutex_};
        workers_.emplace_back(worker, first_rank);
        if (!runs_) {
            begin_locked();
        }
    }
    void remove(const fiber_worker &worker) {
        const std::scoped_lock guard{mutex_};
        const auto own = std::ranges::find_if(
            workers_, [&](const watched_worker &each) { return &each.worker == &worker; });
        own->asked.worker.store(nullptr, std::memory_order_relaxed);
        if (own->asked.asked && !own->asked.answered.load(std::memory_order_acquire)) {
            unanswered_.splice(unanswered_.end(), workers_, own); // the signal may still come
        } else {
            workers_.erase(own);
        }
    }

  private:
    static int signal_of_ours() noexcept { return SIGRTMAX - 3; }

    void begin_locked() {
        struct sigaction action {};
        action.sa_sigaction = &look;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(signal_of_ours(), &action, nullptr);
        try {
            begin_own_thread([this] { run(); }).detach();
            runs_ = true;
        } catch (const std::system_error &none) {
            std::fprintf(stderr, "lisle: LISLE_WATCHDOG: no thread can be made: %s\n", none.what());
        }
    }

    [[noreturn]] void run() {
        const std::chrono::seconds between{value_of(setting::watchdog)};
        for (;;) {
            std::this_thread::sleep_for(between);
            ask_all();
            std::this_thread::sleep_for(time_to_answer);
            const std::scoped_lock guard{mutex_};
            for (watched_worker &each : workers_) {
                look_at(each, between);
            }
        }
    }

    /// Asks the workers that have not switched since the last look.
    void ask_all() {
        const std::scoped_lock guard{mutex_};
        for (watched_worker &each : workers_) {
            const unsigned now = each.worker.switches();
            if (each.switches != now) {
                each.switches = now;
                each.named = false;
            } else if (!each.named && !each.asked.asked) {
                sigval value{};
                value.sival_ptr = &each.asked;
                each.asked.answered.store(false, std::memory_order_relaxed);
                each.asked.asked = pthread_sigqueue(each.thread, signal_of_ours(), value) == 0;
            }
        }
    }

    /// Reports what the worker's thread has answered, if it has.
    static void look_at(watched_worker &one, std::chrono::seconds since) {
        if (!one.asked.asked || !one.asked.answered.load(std::memory_order_acquire)) {
            return;
        }
        one.asked.asked = false;
        if (one.switches == one.worker.switches() && one.asked.what.runs >= 0 && one.asked.what.held_up > 0) {
            one.named = true;
            report(one, since);
        }
    }

    static void report(const watched_worker &one, std::chrono::seconds since) {
        const question &found = one.asked;
        const int first_rank = one.first_rank;
        std::string others;
        const auto named = std::min(static_cast<std::size_t>(found.what.held_up), most_named);
        for (std::size_t at = 0; at != named; ++at) {
            others += sentence(at == 0 ? "" : ", ", found.held_up[at] + first_rank);
        }
        if (const auto more = static_cast<std::size_t>(found.what.held_up) - named; more != 0) {
            others += sentence(" and ", more, " more");
        }
        const abi::code_place place = abi::place_of(found.at);
        std::fputs(sentence("lisle: rank ", found.what.runs + first_rank, " has run for ", since.count(),
                            " s without a call in which fibers take turns",
                            place.file.empty() ? "" : ", at " + source_line(place.file, place.offsets),
                            "; meanwhile these ranks cannot run: ", others,
                            ". If it waits for one of them, let it call MPI or sched_yield, or start it with "
                            "--ranks thread\n")
                       .c_str(),
                   stderr);
    }

    std::mutex mutex_; ///< protects the others
    std::list<watched_worker> workers_;
    std::list<watched_worker> unanswered_; ///< of workers that are gone
    bool runs_ = false;
};

watching_thread &the_thread() {
    static auto *const only = new watching_thread; // never destroyed: it runs until the process ends
    return *only;
}

} // namespace

fiber_watchdog::fiber_watchdog(const fiber_worker &worker, int first_rank) : worker_{worker} {
    if (value_of(setting::watchdog) != 0) {
        the_thread().add(worker, first_rank);
    }
}

fiber_watchdog::~fiber_watchdog() {
    if (value_of(setting::watchdog) != 0) {
        the_thread().remove(worker_);
    }
}

} // namespace lisle
