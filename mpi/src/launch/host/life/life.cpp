// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life/life.hpp"

#include "base/sanitizer_calls.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/host/architecture/pages.hpp"
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/interpose/identity.hpp"
#include "launch/host/interpose/locale.hpp"
#include "launch/host/interpose/open_streams.hpp"
#include "launch/host/life/faults.hpp"
#include "launch/host/life/thread_exit.hpp"
#include "launch/host/output/output.hpp"
#include "launch/host/process/folders.hpp"
#include "launch/host/process/number.hpp"
#include "launch/host/process/usage.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/rank/refusal.hpp"
#include "launch/host/rank/turns.hpp"
#include "launch/host/signals/hosting.hpp"
#include "launch/host/waiting/blocking.hpp"
#include "launch/host/waiting/giving_way.hpp"
#include "library/host_interface.h"
#include "world/process_record.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace lisle::host {

namespace {

/// How the ranks' threads and the host's main thread wait for each other. Release by the writer, acquire by
/// those that wait: a thread that passes sees what was written before.
struct progress {
    std::atomic<bool> open{false}; ///< all threads exist: ranks may run
    std::atomic<int> left{0};      ///< ranks that have not ended
    std::atomic<int> workers{0};   ///< whose fibers have not all left their stacks
    std::atomic<int> status{0};    ///< first exit status that was not 0
};
progress all;

// ThreadSanitizer calls the host before it can be told of functions, so it does not see these atomics: it is
// told of the order that they make.
void tell_release() {
    if (__tsan_release != nullptr) {
        __tsan_release(&all);
    }
}
void tell_acquire() {
    if (__tsan_acquire != nullptr) {
        __tsan_acquire(&all);
    }
}

/// Ends the calling fiber; a thread sleeps until the process ends, without taking signals that are meant for
/// others.
[[noreturn]] void sleep_for_ever() {
    lisle_host_end_fiber();
    sigset_t everything;
    sigfillset(&everything);
    pthread_sigmask(SIG_SETMASK, &everything, nullptr);
    for (;;) {
        pause();
    }
}

void thread_ended(void *which) {
    auto &rank = *static_cast<hosted_rank *>(which);
    {
        const locks_unseen own;
        thread_is_ending(pthread_self());
        end_usage(rank);
        remove_thread(rank);
    }
    leave_rank(rank);
}

pthread_key_t thread_key() {
    static const pthread_key_t key = [] {
        pthread_key_t made{};
        if (pthread_key_create(&made, &thread_ended) != 0) {
            throw refusal("the process has no thread-specific key left for the host");
        }
        return made;
    }();
    return key;
}

/// Whether the calling thread is the one that ends the rank. It may come again: handlers may call exit,
/// which then runs the remaining ones.
bool claim_end(hosted_rank &rank) {
    pthread_t nobody{};
    return rank_life.of(rank).ended_by.compare_exchange_strong(nobody, pthread_self(),
                                                               std::memory_order_acq_rel) ||
           nobody == pthread_self();
}

void report_end(hosted_rank &rank, int status) {
    int none = 0;
    all.status.compare_exchange_strong(none, status & 0xff, std::memory_order_relaxed);
    end_signals(rank);
    if (lisle_host_end_rank(rank.in_library, status & 0xff) != 0) {
        real_exit_now(status & 0xff);
    }
    tell_release();
    if (all.left.fetch_sub(1, std::memory_order_release) == 1) {
        all.left.notify_one();
    }
}

/// Makes the rank known to the library. A function of its own, since its callers never return: what they hold
/// would never be freed.
void begin_rank(hosted_rank &rank) {
    rank.in_library = lisle_host_begin_rank(rank.index);
    std::vector<const char *> words;
    for (const std::string &word : rank.arguments) {
        words.push_back(word.c_str());
    }
    lisle_host_set_arguments(rank.in_library, static_cast<int>(words.size()), words.data());
    lisle_host_set_program(rank.in_library, rank.program);
}

/// Binds the calling thread, a rank with this number, to its core if the launcher asks for that
/// (`--bind-to core`): ranks take the cores that the process may use in turn.
void bind_as_asked(int number) {
    // Read before any rank has been bound: a bound thread would pass its one core on as all there are.
    static const auto places = launch::places(own_record().bind);
    if (!places.empty()) {
        static_cast<void>(places[static_cast<std::size_t>(number) % places.size()].apply());
    }
}

void *run_rank(void *argument) {
    auto &rank = *static_cast<hosted_rank *>(argument);
    architecture::return_room();
    all.open.wait(false, std::memory_order_acquire);

    const alternate_stack signals;
    begin_rank(rank);
    note_number(rank);
    join_rank(rank, true);
    name_thread(rank.number);
    bind_as_asked(rank.number);
    take_own_folder();
    enter_program(rank);
}

void run_fiber(void *ranks, int index) {
    hosted_rank &rank = *static_cast<const rank_list *>(ranks)->at(static_cast<std::size_t>(index));
    begin_rank(rank);
    architecture::notes().rank = &rank;
    add_rank(rank, true);
    take_turn(); // so far the worker's thread has what the fiber that ran before has set
    enter_program(rank);
}

/// Makes the calling thread, which the C library has begun for a rank, one of that rank's.
void begin_thread(hosted_rank &rank) {
    expect_thread(rank);
    lisle_host_become(rank.in_library);
    join_rank(rank, false);
}

/// The fibers of one worker.
struct worker_request {
    const rank_list *ranks;
    int number;
};

void *run_worker(void *argument) {
    const worker_request request = *static_cast<worker_request *>(argument);
    architecture::return_room();
    all.open.wait(false, std::memory_order_acquire);
    const alternate_stack signals;
    name_thread(request.number);
    bind_as_asked(request.number);
    take_own_folder();
    begin_worker(*new worker_signals); // never removed: fibers refer to it
    // Each fiber finds its rank where a thread has its own.
    lisle_host_run_worker(request.number, &run_fiber, const_cast<rank_list *>(request.ranks),
                          [] { return reinterpret_cast<void **>(&architecture::notes().rank); });
    tell_release();
    all.workers.fetch_sub(1, std::memory_order_release);
    all.workers.notify_one();
    sleep_for_ever();
}

/// The stack that a process would have, plus what the thread's reserved block takes of it.
std::size_t stack_size() {
    constexpr std::size_t for_unlimited = std::size_t{256} << 20;
    rlimit limit{};
    getrlimit(RLIMIT_STACK, &limit);
    const std::size_t promised = limit.rlim_cur == RLIM_INFINITY ? for_unlimited : limit.rlim_cur;
    return page_floor(promised + architecture::thread_local_room) + 2 * page;
}

// A worker's own stack carries nothing but the first steps and the room for signals.
constexpr std::size_t worker_stack = std::size_t{256} << 10;

/// One thread for each argument; they wait until all is open.
void start_threads(void *(*run)(void *), const std::vector<void *> &arguments, std::size_t stack_bytes) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    for (std::size_t i = 0; i != arguments.size(); ++i) {
        pthread_t thread{};
        const int error = real_create(&thread, &attributes, run, arguments[i]);
        if (error != 0) {
            throw refusal("starting thread " + std::to_string(i + 1) + " of " +
                          std::to_string(arguments.size()) + " with a stack of " +
                          std::to_string(stack_bytes >> 10) + " KiB failed: " + std::strerror(error) +
                          "; raise the limits of threads (ulimit -u) and memory, or lower ulimit -s");
        }
    }
    pthread_attr_destroy(&attributes);
}

} // namespace

void expect_thread(hosted_rank &rank) noexcept {
    share_output(rank);
    rank_life.of(rank).threads.fetch_add(1, std::memory_order_relaxed);
}

void forget_thread(hosted_rank &rank) noexcept {
    rank_life.of(rank).threads.fetch_sub(1, std::memory_order_relaxed);
}

void join_rank(hosted_rank &rank, bool first) {
    thread_notes &notes = architecture::notes();
    notes.rank = &rank;
    notes.first = first;
    pthread_setspecific(thread_key(), &rank);
    begin_usage(rank);
    if (first) {
        add_rank(rank, false);
    } else {
        architecture::return_room();
        add_thread(rank);
        take_locale_of(rank);
        if (lisle_host_worker_count() != 0) {
            take_folder_of(rank);
        }
    }
    image_of(rank).place_thread_locals();
}

void end_rank(hosted_rank &rank, int status) {
    if (!claim_end(rank)) {
        sleep_for_ever();
    }
    run_thread_exits();
    rank_life.of(rank).exits.run(status);
    rank_files.of(rank).flush_all();
    finish_output(rank);
    report_end(rank, status);
    sleep_for_ever();
}

void end_rank_now(hosted_rank &rank, int status) {
    if (claim_end(rank)) {
        rank_streams.of(rank).out.discard();
        rank_files.of(rank).discard_all();
        report_end(rank, status);
    }
    sleep_for_ever();
}

void leave_rank(hosted_rank &rank) {
    if (rank_life.of(rank).threads.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        end_rank(rank, 0);
    }
}

void leave_fiber(hosted_rank &rank) {
    leave_rank(rank);
    sleep_for_ever();
}

int run_ranks(const rank_list &ranks) {
    static_cast<void>(thread_key());
    begin_thread_of = &begin_thread;
    all.left.store(static_cast<int>(ranks.size()), std::memory_order_relaxed);
    std::vector<worker_request> workers;
    if (const int count = lisle_host_worker_count(); count != 0) {
        if (const char *const reason = lisle_host_reserve_stacks()) {
            throw refusal(reason);
        }
        let_fibers_give_way();
        for (int number = 0; number != count; ++number) {
            workers.push_back({&ranks, number});
        }
        std::vector<void *> requests;
        requests.reserve(workers.size());
        for (worker_request &each : workers) {
            requests.push_back(&each);
        }
        all.workers.store(count, std::memory_order_relaxed);
        start_threads(&run_worker, requests, worker_stack);
    } else {
        std::vector<void *> requests;
        for (const auto &each : ranks) {
            requests.push_back(each.get());
        }
        start_threads(&run_rank, requests, stack_size());
    }
    all.open.store(true, std::memory_order_release);
    all.open.notify_all();
    for (int left; (left = all.left.load(std::memory_order_acquire)) != 0;) {
        all.left.wait(left, std::memory_order_acquire);
    }
    // LeakSanitizer is told of a fiber's stack when it is left.
    for (int left; under_sanitizer && (left = all.workers.load(std::memory_order_acquire)) != 0;) {
        all.workers.wait(left, std::memory_order_acquire);
    }
    tell_acquire();
    const int status = all.status.load(std::memory_order_relaxed);
    return status == 0 && has_lost_output() ? EXIT_FAILURE : status;
}

} // namespace lisle::host
