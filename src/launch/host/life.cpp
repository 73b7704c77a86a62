// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life.hpp"

#include "launch/host/binding.hpp"
#include "launch/host/faults.hpp"
#include "launch/host/identity.hpp"
#include "launch/host/output.hpp"
#include "launch/host/real.hpp"
#include "launch/host/refusal.hpp"
#include "launch/host/thread_exit.hpp"
#include "runtime/host_interface.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace lisle::host {

namespace {

/// Where the ranks' threads and the host's main thread meet. Release by the writer, acquire by those that
/// wait: whoever passes sees what was written before.
struct meeting {
    std::atomic<bool> open{false}; ///< all threads exist: ranks may run
    std::atomic<int> left{0};      ///< ranks that have not ended
    std::atomic<int> status{0};    ///< first exit status that was not 0
};
meeting all;

const real<"pthread_create", int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)> real_create;

/// Sleeps until the process ends, without taking signals that are meant for others.
[[noreturn]] void sleep_for_ever() {
    sigset_t everything;
    sigfillset(&everything);
    pthread_sigmask(SIG_SETMASK, &everything, nullptr);
    for (;;) {
        pause();
    }
}

/// Runs when a thread of a rank has ended: the last one takes the rank with it, as in a process whose main
/// called pthread_exit.
void thread_ended(void *which) {
    auto &rank = *static_cast<hosted_rank *>(which);
    if (rank.threads.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        end_rank(rank, 0);
    }
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
    return rank.ended_by.compare_exchange_strong(nobody, pthread_self(), std::memory_order_acq_rel) ||
           nobody == pthread_self();
}

void report_end(hosted_rank &rank, int status) {
    int none = 0;
    all.status.compare_exchange_strong(none, status & 0xff, std::memory_order_relaxed);
    lisle_host_end_rank(rank.rank, status & 0xff);
    if (all.left.fetch_sub(1, std::memory_order_release) == 1) {
        all.left.notify_one();
    }
}

void *run_rank(void *argument) {
    auto &rank = *static_cast<hosted_rank *>(argument);
    all.open.wait(false, std::memory_order_acquire);

    const alternate_stack signals;
    rank.rank = lisle_host_begin_rank(rank.index);
    std::vector<const char *> words;
    for (const std::string &word : rank.arguments) {
        words.push_back(word.c_str());
    }
    lisle_host_set_arguments(rank.rank, static_cast<int>(words.size()), words.data());
    join_rank(rank, true);
    name_thread(rank.number);
    bind_as_asked(rank.number);
    // A working directory and umask of its own. Some sandboxes forbid it; then the ranks share them.
    static_cast<void>(unshare(CLONE_FS));
    enter_program(rank);
}

/// The stack that a process would have, plus what the thread's reserved block takes of it.
std::size_t stack_size() {
    constexpr std::size_t for_unlimited = std::size_t{256} << 20;
    rlimit limit{};
    getrlimit(RLIMIT_STACK, &limit);
    const std::size_t promised = limit.rlim_cur == RLIM_INFINITY ? for_unlimited : limit.rlim_cur;
    constexpr std::size_t page = 4096;
    return ((promised + architecture::thread_local_room) / page + 2) * page;
}

} // namespace

void expect_thread(hosted_rank &rank) noexcept {
    rank.threads.fetch_add(1, std::memory_order_relaxed);
}

void forget_thread(hosted_rank &rank) noexcept {
    rank.threads.fetch_sub(1, std::memory_order_relaxed);
}

void join_rank(hosted_rank &rank, bool first) {
    thread_notes &notes = architecture::notes();
    notes.rank = &rank;
    notes.first = first;
    pthread_setspecific(thread_key(), &rank);
    architecture::place_thread_locals(rank.program.thread_locals(), rank.code.base());
}

void end_rank(hosted_rank &rank, int status) {
    if (!claim_end(rank)) {
        sleep_for_ever();
    }
    run_thread_exits();
    rank.exits.run(status);
    if (!rank.destructed) {
        rank.destructed = true;
        rank.code.destruct(rank.program);
    }
    finish_output(rank);
    report_end(rank, status);
    sleep_for_ever();
}

void end_rank_now(hosted_rank &rank, int status) {
    if (claim_end(rank)) {
        report_end(rank, status);
    }
    sleep_for_ever();
}

int run_ranks(const rank_list &ranks) {
    static_cast<void>(thread_key());
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack_size());
    all.left.store(static_cast<int>(ranks.size()), std::memory_order_relaxed);
    for (const auto &each : ranks) {
        pthread_t thread{};
        const int error = real_create(&thread, &attributes, &run_rank, each.get());
        if (error != 0) {
            throw refusal("starting thread " + std::to_string(each->index + 1) + " of " +
                          std::to_string(ranks.size()) + " with a stack of " +
                          std::to_string(stack_size() >> 10) + " KiB failed: " + std::strerror(error) +
                          "; raise the limits of threads (ulimit -u) and memory, or lower ulimit -s");
        }
    }
    pthread_attr_destroy(&attributes);
    all.open.store(true, std::memory_order_release);
    all.open.notify_all();
    for (int left; (left = all.left.load(std::memory_order_acquire)) != 0;) {
        all.left.wait(left, std::memory_order_acquire);
    }
    return all.status.load(std::memory_order_relaxed);
}

} // namespace lisle::host
