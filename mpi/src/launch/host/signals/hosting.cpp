// SPDX-License-Identifier: Apache-2.0
#include "launch/host/signals/hosting.hpp"

#include "launch/host/signals/kernel.hpp"
#include "launch/host/signals/timers.hpp"

#include <new>
#include <unistd.h>

namespace lisle::host {

namespace {

// Release by a worker that begins, acquire by its fibers.
constinit std::atomic<worker_signals *> workers{nullptr};

} // namespace

void begin_worker(worker_signals &record) noexcept {
    sigset_t inherited;
    kernel::change_mask(SIG_BLOCK, nullptr, &inherited);
    record.inherited = bits_of(inherited);
    record.next = workers.load(std::memory_order_relaxed);
    while (!workers.compare_exchange_weak(record.next, &record, std::memory_order_release)) {
    }
}

worker_signals *worker_of(thread_signals &fiber) noexcept {
    if (fiber.is_fiber && fiber.worker == nullptr) {
        worker_signals *found = workers.load(std::memory_order_acquire);
        while (found != nullptr && pthread_equal(found->thread, fiber.thread) == 0) {
            found = found->next;
        }
        fiber.worker = found;
        if (found != nullptr) {
            fiber.mask.store(found->inherited, std::memory_order_relaxed);
        }
    }
    return fiber.worker;
}

void add_thread(hosted_rank &rank) {
    auto *const made = new thread_signals;
    made->thread = pthread_self();
    rank_signals &all = signals_of.of(rank);
    if (all.table.load(std::memory_order_acquire) != nullptr) { // else it blocks nothing
        sigset_t inherited;
        kernel::change_mask(SIG_BLOCK, nullptr, &inherited);
        made->mask.store(bits_of(inherited), std::memory_order_relaxed);
    }
    const signals_locked lock;
    made->next = all.threads;
    all.threads = made;
}

void remove_thread(hosted_rank &rank) noexcept {
    rank_signals &all = signals_of.of(rank);
    thread_signals *removed = nullptr;
    {
        const signals_locked lock;
        thread_signals **place = &all.threads;
        while (*place != nullptr && pthread_equal((*place)->thread, pthread_self()) == 0) {
            place = &(*place)->next;
        }
        if (*place == nullptr) {
            return;
        }
        removed = *place;
        *place = removed->next;
        if (signal_table *const used = all.table.load(std::memory_order_relaxed)) {
            for (int signal = 1; removed->sent.set() != 0 && signal <= last_signal; ++signal) {
                removed->sent.drop(signal, used->places);
            }
        }
    }
    if (removed != &all.first) {
        delete removed;
    }
}

void end_signals(hosted_rank &rank) noexcept {
    rank_signals &all = signals_of.of(rank);
    if (all.table.load(std::memory_order_acquire) == nullptr) {
        all.lives.store(false, std::memory_order_relaxed);
        return;
    }
    const signals_locked lock;
    all.lives.store(false, std::memory_order_relaxed);
    end_timers_locked(all);
    signal_table &used = *all.table.load(std::memory_order_relaxed);
    while (used.file_count != 0) {
        close(used.files[--used.file_count].write_end);
    }
}

} // namespace lisle::host
