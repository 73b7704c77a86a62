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
#include <semaphore.h>
#include <string>
#include <system_error>
#include <thread>
#include <ucontext.h>

#include "abi/call_place.hpp"
#include "base/error.hpp"
#include "base/own_thread.hpp"
#include "base/settings.hpp"
#include "diagnosis/source_line.hpp"

namespace lisle {

namespace {

constexpr std::size_t most_named = 8;

/// What the handler finds out, for the thread that has sent the signal and waits.
struct finding {
    /// Release by the thread that asks, acquire in the handler: a signal orders nothing by the language's
    /// rules.
    std::atomic<const fiber_worker *> worker{nullptr};
    fiber_worker::monopoly what{};
    std::array<int, most_named> held_up{};
    const void *at = nullptr;
    sem_t done{};
};

const void *program_counter(const void *context) noexcept {
    const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
    return reinterpret_cast<const void *>(registers.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void *>(registers.pc);
#else
    static_cast<void>(registers);
    return nullptr;
#endif
}

void look(int, siginfo_t *information, void *context) {
    const int error_number = errno;
    auto &found = *static_cast<finding *>(information->si_value.sival_ptr);
    found.what = found.worker.load(std::memory_order_acquire)->find_monopoly(found.held_up);
    found.at = program_counter(context);
    sem_post(&found.done);
    errno = error_number;
}

struct watched_worker {
    const fiber_worker *worker;
    pthread_t thread;
    int first_rank;
    unsigned switches;
    bool named; ///< what runs since the last switch
};

class watching_thread {
  public:
    void add(const watched_worker &one) {
        const std::scoped_lock guard{mutex_};
        workers_.push_back(one);
        if (!runs_) {
            begin_locked();
        }
    }
    void remove(const fiber_worker &worker) {
        const std::scoped_lock guard{mutex_};
        workers_.remove_if([&](const watched_worker &each) { return each.worker == &worker; });
    }

  private:
    static int signal_of_ours() noexcept { return SIGRTMAX - 3; }

    void begin_locked() {
        sem_init(&found_.done, 0, 0);
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
            const std::scoped_lock guard{mutex_};
            for (watched_worker &each : workers_) {
                look_at(each, between);
            }
        }
    }

    void look_at(watched_worker &one, std::chrono::seconds since) {
        const unsigned now = one.worker->switches();
        if (one.switches != now) {
            one.switches = now;
            one.named = false;
            return;
        }
        if (one.named || !ask(one)) {
            return;
        }
        if (one.switches == one.worker->switches() && found_.what.runs >= 0 && found_.what.held_up > 0) {
            one.named = true;
            report(one.first_rank, since);
        }
    }

    /// True if the worker's thread has answered.
    bool ask(const watched_worker &one) {
        found_.worker.store(one.worker, std::memory_order_release);
        sigval value{};
        value.sival_ptr = &found_;
        if (pthread_sigqueue(one.thread, signal_of_ours(), value) != 0) {
            return false;
        }
        while (sem_wait(&found_.done) != 0) { // the thread lives: it leaves the list before it ends
        }
        return true;
    }

    void report(int first_rank, std::chrono::seconds since) const {
        std::string others;
        const auto named = std::min(static_cast<std::size_t>(found_.what.held_up), most_named);
        for (std::size_t at = 0; at != named; ++at) {
            others += sentence(at == 0 ? "" : ", ", found_.held_up[at] + first_rank);
        }
        if (const auto more = static_cast<std::size_t>(found_.what.held_up) - named; more != 0) {
            others += sentence(" and ", more, " more");
        }
        const abi::code_place place = abi::place_of(found_.at);
        std::fputs(sentence("lisle: rank ", found_.what.runs + first_rank, " has run for ", since.count(),
                            " s without a call in which fibers take turns",
                            place.file.empty() ? "" : ", at " + source_line(place.file, place.offsets),
                            "; meanwhile these ranks cannot run: ", others,
                            ". If it waits for one of them, let it call MPI or sched_yield, or start it with "
                            "--ranks thread\n")
                       .c_str(),
                   stderr);
    }

    std::mutex mutex_;
    std::list<watched_worker> workers_;
    bool runs_ = false;
    finding found_; ///< one worker is asked at a time
};

watching_thread &the_thread() {
    static auto *const only = new watching_thread; // never destroyed: it runs until the process ends
    return *only;
}

} // namespace

fiber_watchdog::fiber_watchdog(const fiber_worker &worker, int first_rank) : worker_{worker} {
    if (value_of(setting::watchdog) != 0) {
        the_thread().add({&worker, pthread_self(), first_rank, worker.switches(), false});
    }
}

fiber_watchdog::~fiber_watchdog() {
    if (value_of(setting::watchdog) != 0) {
        the_thread().remove(worker_);
    }
}

} // namespace lisle
