// SPDX-License-Identifier: Apache-2.0
// What a process knows of its signals, for each rank: what it does about each, which have been sent and not
// taken yet, and the threads that may take them. What a thread blocks the kernel knows: masks are real, so
// setjmp, fork, handlers and new threads treat them as ever; the ones kept here are those last set, by which
// a thread is chosen. How signals come and go: dispatch.hpp.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/signals/pending.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <pthread.h>
#include <sys/types.h>

namespace lisle::host {

/// The signals of the process's ranks have one lock, since they are rare and concern several ranks. While a
/// thread has it, no signal interrupts that thread: handlers take it as well.
class signals_locked {
  public:
    signals_locked();
    ~signals_locked();
    signals_locked(const signals_locked &) = delete;
    signals_locked &operator=(const signals_locked &) = delete;
    /// In a forked child, which has one thread: another one may have held it.
    static void reset() noexcept;

  private:
    const signal_bits before_;
};

/// The worker thread of some fibers: whose mask the kernel has for it now.
struct worker_signals {
    pthread_t thread = pthread_self();
    signal_bits inherited = 0; ///< mask with which each fiber begins
    struct thread_signals *in_force = nullptr;
    worker_signals *next = nullptr;
};

/// One thread of a rank, or its fiber.
struct thread_signals {
    pthread_t thread{};
    worker_signals *worker = nullptr; ///< of a fiber whose worker is known
    bool is_fiber = false;
    pending_signals sent; ///< to this thread
    /// As last set by a call. Relaxed: who sends chooses a thread by it, a wrong choice is only late.
    std::atomic<signal_bits> mask{0};
    /// Handlers that have run here. Relaxed: read by the thread itself.
    std::atomic<unsigned> handled{0};
    stack_t alternate{nullptr, SS_DISABLE, 0}; ///< sigaltstack
    thread_signals *next = nullptr;
};

/// A descriptor of signalfd: the end of a socket into which signals are written.
struct signal_file {
    int write_end;
    ino_t read_end; ///< by which a later call finds it, whatever its number
    signal_bits wanted;
};

/// What a rank has once it has used signals. Memory of zeros is one that has set nothing.
struct signal_table {
    struct sigaction actions[NSIG];
    signal_bits set; ///< actions that the rank has set; others are the process's
    pending_signals sent;
    /// Counts what has been sent; sleepers wait for it as a futex. Release: who sees it sees the signal.
    std::atomic<unsigned> news;
    std::array<signal_file, 16> files;
    std::size_t file_count;
    signal_places places;
};

struct rank_signals {
    hosted_rank *rank = nullptr;
    /// Between its start and its end. Relaxed: with the lock held, or by the rank itself.
    std::atomic<bool> lives{false};
    /// Made by the rank's first call, never removed. Release, acquire by handlers.
    std::atomic<signal_table *> table{nullptr};
    thread_signals first; ///< the one that runs main
    thread_signals *threads = nullptr;
    /// The last fault for which a handler has run: one that reports it raises the signal again. Relaxed: for
    /// a sentence only.
    std::atomic<int> fault{0};
    std::atomic<const void *> fault_address{nullptr};
    rank_signals *next = nullptr; ///< that has begun before, never changed afterwards

    /// Makes the table if there is none. Null, with errno ENOMEM: there is no memory.
    signal_table *use();
    /// The calling thread. Null if it has left the rank.
    [[nodiscard]] thread_signals *self_locked() noexcept { return find_locked(pthread_self()); }
    [[nodiscard]] thread_signals *find_locked(pthread_t thread) noexcept;
    /// What is done about a signal: SIG_DFL and SIG_IGN say what they mean to the rank.
    [[nodiscard]] struct sigaction action_locked(int signal) const noexcept;
    [[nodiscard]] bool ignores_locked(int signal) const noexcept;
    /// Whether a signal sent to this thread, or to the rank (null), must wait.
    [[nodiscard]] bool holds_back_locked(const thread_signals *to, int signal) const noexcept;
    /// Returns an errno number. @pre there is a table
    int send_locked(thread_signals *to, const siginfo_t &what) noexcept;
    /// Takes the first of these signals that this thread may take.
    bool take_locked(thread_signals &by, signal_bits wanted, siginfo_t &into) noexcept;
    [[nodiscard]] signal_bits sent_to(const thread_signals &one) const noexcept;

  private:
    void announce_locked(thread_signals *to, int signal) noexcept;
};

inline const rank_slot<rank_signals> signals_of;

/// The rank that began last; those before it follow. Acquire.
[[nodiscard]] rank_signals *ranks_with_signals() noexcept;
/// The calling rank's first thread or fiber begins.
void add_rank(hosted_rank &rank, bool is_fiber);

/// The worker whose fiber this is. Null: it is none.
[[nodiscard]] worker_signals *worker_of(thread_signals &fiber) noexcept;

/// A signal to a thread that says: look for what has been sent to you. The thread's mask holds it back as it
/// holds back the signal itself.
void ring(const thread_signals &one, int signal) noexcept;
[[nodiscard]] bool is_ring(const siginfo_t &information) noexcept;

} // namespace lisle::host
