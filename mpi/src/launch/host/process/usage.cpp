// SPDX-License-Identifier: Apache-2.0
#include "launch/host/process/usage.hpp"

#include "launch/host/process/children.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/nanoseconds.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/rank/turns.hpp"
#include "launch/host/rank/worker_slot.hpp"
#include "library/host_interface.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>
#include <vector>

namespace lisle::host {

namespace {

const real<"clock", std::clock_t()> real_clock;
const real<"times", std::clock_t(tms *)> real_times;
const real<"getrusage", int(__rusage_who_t, rusage *)> real_usage;

std::int64_t read(clockid_t clock) noexcept {
    timespec now{};
    return real_clock_gettime(clock, &now) == 0 ? nanoseconds_of(now) : 0;
}

/// The threads of a rank, and what those had used that have ended.
struct threads_used {
    std::mutex mutex; ///< protects what is below
    std::vector<pthread_t> live;
    std::int64_t by_ended = 0;
    rusage of_ended{};
};
const rank_slot<threads_used> rank_threads;

/// Read by the rank's threads, too: relaxed, they may see what was a turn ago.
struct fiber_used {
    std::atomic<std::int64_t> before{0}; ///< nanoseconds up to the last turn of another fiber
};
const rank_slot<fiber_used> rank_fiber;

/// Of a worker: which fiber runs, and what its thread had used when that began to run.
struct worker_used {
    hosted_rank *running = this_rank();
    std::int64_t at_first_question = read(CLOCK_THREAD_CPUTIME_ID);
    std::int64_t since = at_first_question;
};
worker_slot<worker_used> worker_usage;

void count_turn() {
    hosted_rank *const rank = this_rank();
    if (rank == nullptr || lisle_host_in_fiber() == 0) {
        return;
    }
    worker_used &worker = worker_usage.current();
    if (worker.running == rank) {
        return;
    }
    const std::int64_t now = read(CLOCK_THREAD_CPUTIME_ID);
    if (worker.running != nullptr) {
        rank_fiber.of(*worker.running).before.fetch_add(now - worker.since, std::memory_order_relaxed);
    }
    worker.running = rank;
    worker.since = now;
}

/// What the calling fiber has used.
std::int64_t used_by_fiber() {
    call_at_turns(&count_turn);
    const worker_used &worker = worker_usage.current();
    const int fibers = std::max(1, lisle_host_rank_count() / std::max(1, lisle_host_worker_count()));
    const std::int64_t running = read(CLOCK_THREAD_CPUTIME_ID) - worker.since;
    return worker.at_first_question / fibers + rank_fiber.current().before.load(std::memory_order_relaxed) +
           running;
}

timeval as_interval(std::int64_t nanoseconds) {
    return {nanoseconds / second, nanoseconds % second / 1000};
}
std::int64_t nanoseconds_of(const timeval &time) {
    return time.tv_sec * second + time.tv_usec * 1000;
}

/// Divides processor time as the calling thread's is divided between the program and the kernel.
void divide(std::int64_t used, rusage &into) {
    const std::int64_t user = nanoseconds_of(into.ru_utime);
    const std::int64_t system = nanoseconds_of(into.ru_stime);
    const double share =
        user + system != 0 ? static_cast<double>(system) / static_cast<double>(user + system) : 0.0;
    const auto in_kernel = static_cast<std::int64_t>(share * static_cast<double>(used));
    into.ru_utime = as_interval(used - in_kernel);
    into.ru_stime = as_interval(in_kernel);
}

/// The calling rank's usage. Memory is the process's, which has one.
rusage usage_of_rank() {
    rusage result{};
    real_usage(RUSAGE_THREAD, &result);
    {
        threads_used &threads = rank_threads.current();
        const std::scoped_lock lock(threads.mutex);
        add_usage(result, threads.of_ended);
    }
    divide(used_by_rank(), result);
    return result;
}

} // namespace

void begin_usage(hosted_rank &rank) {
    threads_used &threads = rank_threads.of(rank);
    const std::scoped_lock lock(threads.mutex);
    threads.live.push_back(pthread_self());
}

void end_usage(hosted_rank &rank) noexcept {
    threads_used &threads = rank_threads.of(rank);
    rusage mine{};
    real_usage(RUSAGE_THREAD, &mine);
    const std::scoped_lock lock(threads.mutex);
    std::erase(threads.live, pthread_self());
    threads.by_ended += read(CLOCK_THREAD_CPUTIME_ID);
    add_usage(threads.of_ended, mine);
}

std::int64_t used_by_caller() {
    return lisle_host_in_fiber() != 0 ? used_by_fiber() : read(CLOCK_THREAD_CPUTIME_ID);
}

// A fiber is in the list of no rank; a thread of its rank does not see what it has used since its last turn.
std::int64_t used_by_rank() {
    threads_used &threads = rank_threads.current();
    std::int64_t sum = 0;
    if (lisle_host_in_fiber() != 0) {
        sum = used_by_fiber();
    } else if (lisle_host_worker_count() != 0) {
        sum = rank_fiber.current().before.load(std::memory_order_relaxed);
    }
    const std::scoped_lock lock(threads.mutex);
    for (const pthread_t each : threads.live) {
        clockid_t clock{};
        sum += pthread_getcpuclockid(each, &clock) == 0 ? read(clock) : 0;
    }
    return sum + threads.by_ended;
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

std::clock_t clock() noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_clock();
    }
    return static_cast<std::clock_t>(used_by_rank() / (lisle::host::second / CLOCKS_PER_SEC));
}

int getrusage(__rusage_who_t who, rusage *usage) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_usage(who, usage);
    }
    switch (who) {
    case RUSAGE_SELF:
        *usage = usage_of_rank();
        return 0;
    case RUSAGE_CHILDREN:
        *usage = rank_children.current().used();
        return 0;
    case RUSAGE_THREAD: {
        const int result = real_usage(who, usage);
        if (lisle_host_in_fiber() != 0) {
            divide(used_by_caller(), *usage);
        }
        return result;
    }
    default:
        return real_usage(who, usage);
    }
}

std::clock_t times(tms *used) noexcept {
    const std::clock_t now = real_times(used);
    if (used != nullptr && is_call_of_rank(__builtin_return_address(0))) {
        const std::int64_t tick = lisle::host::second / sysconf(_SC_CLK_TCK);
        const rusage own = usage_of_rank();
        const rusage children = rank_children.current().used();
        *used = {nanoseconds_of(own.ru_utime) / tick, nanoseconds_of(own.ru_stime) / tick,
                 nanoseconds_of(children.ru_utime) / tick, nanoseconds_of(children.ru_stime) / tick};
    }
    return now;
}

} // extern "C"
