// SPDX-License-Identifier: Apache-2.0
// A rank that sleeps uses no processor, however it sleeps and whether it sleeps alone; and it sleeps as long
// as it asked for, while messages arrive too.
#include "check.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string>
#include <sys/select.h>
#include <thread>
#include <threads.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

/// Of all threads of the process.
double processor_seconds() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

#ifdef __SANITIZE_THREAD__
constexpr auto time_asked = 800ms; // to begin a thread takes it 12 ms of processor time
#else
constexpr auto time_asked = 200ms;
#endif
constexpr useconds_t microseconds = std::chrono::microseconds{time_asked}.count();
constexpr timespec duration{0, std::chrono::nanoseconds{time_asked}.count()};

timespec end_on(clockid_t clock) {
    timespec end{};
    clock_gettime(clock, &end);
    end.tv_nsec += duration.tv_nsec;
    end.tv_sec += end.tv_nsec / 1'000'000'000;
    end.tv_nsec %= 1'000'000'000;
    return end;
}

void with_usleep() {
    usleep(microseconds);
}
void with_sleep_for() {
    std::this_thread::sleep_for(time_asked);
}
void with_clock_nanosleep() {
    const timespec end = end_on(CLOCK_REALTIME);
    CHECK_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, nullptr), 0);
}
void with_thrd_sleep() {
    thrd_sleep(&duration, nullptr);
}
void with_join() {
    std::thread{[] { usleep(microseconds); }}.join();
}
void with_poll() {
    CHECK_EQ(poll(nullptr, 0, static_cast<int>(std::chrono::milliseconds{time_asked}.count())), 0);
}
void with_select() {
    timeval limit{0, microseconds};
    CHECK_EQ(select(0, nullptr, nullptr, nullptr, &limit), 0);
}
void with_semaphore() {
    sem_t never;
    sem_init(&never, 0, 0);
    const timespec end = end_on(CLOCK_REALTIME);
    CHECK_EQ(sem_timedwait(&never, &end), -1);
    CHECK_EQ(errno, ETIMEDOUT);
    sem_destroy(&never);
}
void with_condition() {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    CHECK(!never.wait_for(lock, time_asked, [] { return false; }));
}

struct sort {
    const char *name;
    void (*sleep)();
};
constexpr sort sorts[] = {
    {"usleep", with_usleep},
    {"std::this_thread::sleep_for", with_sleep_for},
    {"clock_nanosleep", with_clock_nanosleep},
    {"thrd_sleep", with_thrd_sleep},
    {"a join", with_join},
    {"poll", with_poll},
    {"select", with_select},
    {"sem_timedwait", with_semaphore},
    {"a condition variable", with_condition},
};

/// Sleeps that are over while they begin end, too.
void shortest_sleeps() {
    for (long nanoseconds = 1; nanoseconds <= 400; ++nanoseconds) {
        const timespec moment{0, nanoseconds};
        for (int i = 0; i < 5; ++i)
            CHECK_EQ(nanosleep(&moment, nullptr), 0);
        usleep(0);
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv, MPI_THREAD_MULTIPLE};
    shortest_sleeps();
    for (const auto &[name, sleep] : sorts) {
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        // A message that nobody waits for must not end the sleep.
        const int right = (job.rank + 1) % job.size;
        CHECK_MPI(MPI_Send(&right, 1, MPI_INT, right, 0, MPI_COMM_WORLD));
        const double before = processor_seconds();
        const auto begin = clock_type::now();
        sleep();
        const auto slept = clock_type::now() - begin;
        const double used = processor_seconds() - before;
        int received = -1;
        CHECK_MPI(MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(received, job.rank);
        if (slept < time_asked - 1ms)
            check::fail(__FILE__, __LINE__, std::string{name} + " returned too early");
        // A fifth of one core, all ranks of the process together, is far from what spinning takes.
        if (used > 0.2 * std::chrono::duration<double>(slept).count())
            check::fail(__FILE__, __LINE__,
                        std::string{name} + " used " + std::to_string(used) + " s of processor time");
    }
}
