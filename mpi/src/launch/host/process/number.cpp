// SPDX-License-Identifier: Apache-2.0
#include "launch/host/process/number.hpp"

#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/rank/refusal.hpp"
#include "library/host_interface.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"getpid", pid_t()> real_getpid;
const real<"gettid", pid_t()> real_gettid;
const real<"getppid", pid_t()> real_getppid;

// 0: none yet. Relaxed: the number alone.
const rank_slot<std::atomic<pid_t>> numbers;

/// A thread that sleeps, so that the kernel gives its number to nobody else.
struct sleeper {
    std::atomic<pid_t> number{0}; ///< released by the thread, acquired by who waits for it
    static void *run(void *self) {
        auto &mine = *static_cast<sleeper *>(self);
        const pid_t number = real_gettid();
        mine.number.store(number, std::memory_order_release);
        mine.number.notify_one(); // never destroyed
        for (;;) {
            pause();
        }
    }
};

/// A number for a fiber, from a thread that takes no signals and needs next to no stack.
pid_t make_number() {
    sigset_t everything;
    sigset_t before;
    sigfillset(&everything);
    pthread_sigmask(SIG_SETMASK, &everything, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, std::size_t{256} << 10);
    auto *const made = new sleeper;
    pthread_t thread{};
    const int error = real_create(&thread, &attributes, &sleeper::run, made);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error != 0) {
        std::fprintf(
            stderr,
            "lisle-host: rank %d: getpid: the system grants no thread for the number of a %s rank: raise "
            "the limit of threads (ulimit -u), or run processes: --ranks process\n",
            this_rank()->number, kind_of_ranks);
        std::_Exit(2);
    }
    made->number.wait(0, std::memory_order_acquire);
    return made->number.load(std::memory_order_acquire);
}

} // namespace

void note_number(hosted_rank &rank) noexcept {
    numbers.of(rank).store(real_gettid(), std::memory_order_relaxed);
}

pid_t number_of(hosted_rank &rank) noexcept {
    std::atomic<pid_t> &mine = numbers.of(rank);
    if (mine.load(std::memory_order_relaxed) == 0) {
        static std::mutex making; // a fiber and its threads may ask at the same time
        const std::scoped_lock lock(making);
        if (mine.load(std::memory_order_relaxed) == 0) {
            mine.store(make_number(), std::memory_order_relaxed);
        }
    }
    return mine.load(std::memory_order_relaxed);
}

pid_t known_number() noexcept {
    const hosted_rank *const rank = this_rank();
    const pid_t own = rank != nullptr ? numbers.of(*rank).load(std::memory_order_relaxed) : 0;
    return own != 0 ? own : host_process();
}

bool is_own_number(pid_t number) noexcept {
    return number == real_getpid() || number == known_number();
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

pid_t getpid() noexcept {
    return is_call_of_rank(__builtin_return_address(0)) ? number_of(*lisle::host::this_rank())
                                                        : real_getpid();
}

// Of the main thread of a process, both numbers are the same.
pid_t gettid() noexcept {
    return lisle_host_in_fiber() != 0 && is_call_of_rank(__builtin_return_address(0))
               ? number_of(*lisle::host::this_rank())
               : real_gettid();
}

// A child that a rank has forked compares this with what its parent took for its own number.
pid_t getppid() noexcept {
    const pid_t parent = real_getppid();
    return in_child() && parent == host_process() ? known_number() : parent;
}

} // extern "C"
