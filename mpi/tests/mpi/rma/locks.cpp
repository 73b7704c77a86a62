// SPDX-License-Identifier: Apache-2.0
// Locks of windows under contention, by one thread of each rank and by several: exclusion, readers beside
// each other, epochs on many targets, spin locks that programs build from atomics, and targets that compute.
#include "payload.hpp"
#include "window.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace {

/// Reads, changes and writes a counter with plain transfers: only exclusion makes the sum right.
void exclusive(const check::job &job, flavour how, int rounds) {
    window_of<long> window(how, 2);
    for (int i = 0; i < rounds; ++i)
        for (int target = 0; target < job.size; ++target) {
            long held[2] = {-1, -1};
            CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.handle()));
            CHECK_MPI(MPI_Get(held, 2, MPI_LONG, target, window.at(target, 0), 2, MPI_LONG, window.handle()));
            CHECK_MPI(MPI_Win_flush(target, window.handle()));
            CHECK_EQ(held[0], -held[1]);
            ++held[0];
            --held[1];
            CHECK_MPI(
                MPI_Put(&held[0], 1, MPI_LONG, target, window.at(target, 0), 1, MPI_LONG, window.handle()));
            CHECK_MPI(MPI_Win_flush(target, window.handle()));
            CHECK_MPI(
                MPI_Put(&held[1], 1, MPI_LONG, target, window.at(target, 1), 1, MPI_LONG, window.handle()));
            CHECK_MPI(MPI_Win_unlock(target, window.handle()));
        }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, job.rank, 0, window.handle()));
    CHECK_EQ(window[0], static_cast<long>(rounds) * job.size);
    CHECK_MPI(MPI_Win_unlock(job.rank, window.handle()));
}

/// The owner takes part with loads and stores under the lock of its own part.
void owner_stores(const check::job &job, flavour how, int rounds) {
    window_of<long> window(how, 1);
    const int owner = 0;
    for (int i = 0; i < rounds; ++i) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, window.handle()));
        if (job.rank == owner) {
            window[0] = window[0] + 1;
        } else {
            long held = -1;
            CHECK_MPI(MPI_Get(&held, 1, MPI_LONG, owner, window.at(owner, 0), 1, MPI_LONG, window.handle()));
            CHECK_MPI(MPI_Win_flush(owner, window.handle()));
            ++held;
            CHECK_MPI(MPI_Put(&held, 1, MPI_LONG, owner, window.at(owner, 0), 1, MPI_LONG, window.handle()));
        }
        CHECK_MPI(MPI_Win_unlock(owner, window.handle()));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (job.rank == owner) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, window.handle()));
        CHECK_EQ(window[0], static_cast<long>(rounds) * job.size);
        CHECK_MPI(MPI_Win_unlock(owner, window.handle()));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// Readers hold the lock together: each waits under it until all are there.
void shared_together(const check::job &job, flavour how) {
    window_of<long> window(how, 1);
    const long one = 1;
    for (long round = 1; round <= 3; ++round) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.handle()));
        CHECK_MPI(
            MPI_Accumulate(&one, 1, MPI_LONG, 0, window.at(0, 0), 1, MPI_LONG, MPI_SUM, window.handle()));
        for (long here = 0; here < round * job.size;) {
            CHECK_MPI(
                MPI_Fetch_and_op(nullptr, &here, MPI_LONG, 0, window.at(0, 0), MPI_NO_OP, window.handle()));
            CHECK_MPI(MPI_Win_flush(0, window.handle()));
        }
        CHECK_MPI(MPI_Win_unlock(0, window.handle()));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/// Writers with exclusive locks, readers with shared ones and with lock_all: no reader sees half of a write.
void readers_and_writers(const check::job &job, flavour how, int rounds) {
    constexpr std::size_t length = 200;
    window_of<int> window(how, length);
    random_numbers random(static_cast<std::uint64_t>(job.rank) + 1);
    std::vector<int> buffer(length);
    for (int i = 0; i < rounds; ++i) {
        const int target = random.below(job.size);
        const int kind = random.below(3);
        if (kind == 0) {
            std::ranges::fill(buffer, job.rank * rounds + i);
            CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.handle()));
            CHECK_MPI(MPI_Put(buffer.data(), length, MPI_INT, target, window.at(target, 0), length, MPI_INT,
                              window.handle()));
            CHECK_MPI(MPI_Win_unlock(target, window.handle()));
            continue;
        }
        CHECK_MPI(kind == 1 ? MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window.handle())
                            : MPI_Win_lock_all(0, window.handle()));
        CHECK_MPI(MPI_Get(buffer.data(), length, MPI_INT, target, window.at(target, 0), length, MPI_INT,
                          window.handle()));
        CHECK_MPI(kind == 1 ? MPI_Win_unlock(target, window.handle()) : MPI_Win_unlock_all(window.handle()));
        for (const int each : buffer)
            CHECK_EQ(each, buffer.front());
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// Locks of several targets at once, always taken in the same order.
void several_targets(const check::job &job, flavour how, int rounds) {
    window_of<long> window(how, 1);
    std::vector<long> held(static_cast<std::size_t>(job.size));
    for (int i = 0; i < rounds; ++i) {
        for (int target = 0; target < job.size; ++target)
            CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.handle()));
        for (int target = 0; target < job.size; ++target)
            CHECK_MPI(MPI_Get(&held[static_cast<std::size_t>(target)], 1, MPI_LONG, target,
                              window.at(target, 0), 1, MPI_LONG, window.handle()));
        CHECK_MPI(MPI_Win_flush_all(window.handle()));
        for (long &each : held) {
            CHECK_EQ(each, held.front());
        }
        for (long &each : held)
            ++each;
        for (int target = 0; target < job.size; ++target)
            CHECK_MPI(MPI_Put(&held[static_cast<std::size_t>(target)], 1, MPI_LONG, target,
                              window.at(target, 0), 1, MPI_LONG, window.handle()));
        for (int target = job.size; target-- > 0;)
            CHECK_MPI(MPI_Win_unlock(target, window.handle()));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, job.rank, 0, window.handle()));
    CHECK_EQ(window[0], static_cast<long>(rounds) * job.size);
    CHECK_MPI(MPI_Win_unlock(job.rank, window.handle()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// A lock that the program makes of compare_and_swap. While one rank spins the holder must get on, whatever
/// ranks are.
void spin_lock(const check::job &job, flavour how, int rounds) {
    window_of<long> window(how, 2);
    const int home = job.size - 1;
    const long free = 0;
    const long taken = 1;
    CHECK_MPI(MPI_Win_lock_all(0, window.handle()));
    for (int i = 0; i < rounds; ++i) {
        for (long before = taken; before != free;) {
            CHECK_MPI(MPI_Compare_and_swap(&taken, &free, &before, MPI_LONG, home, window.at(home, 0),
                                           window.handle()));
            CHECK_MPI(MPI_Win_flush(home, window.handle()));
        }
        long held = -1;
        CHECK_MPI(MPI_Get(&held, 1, MPI_LONG, home, window.at(home, 1), 1, MPI_LONG, window.handle()));
        CHECK_MPI(MPI_Win_flush(home, window.handle()));
        ++held;
        CHECK_MPI(MPI_Put(&held, 1, MPI_LONG, home, window.at(home, 1), 1, MPI_LONG, window.handle()));
        CHECK_MPI(MPI_Win_flush(home, window.handle()));
        CHECK_MPI(MPI_Accumulate(&free, 1, MPI_LONG, home, window.at(home, 0), 1, MPI_LONG, MPI_REPLACE,
                                 window.handle()));
        CHECK_MPI(MPI_Win_flush(home, window.handle()));
    }
    CHECK_MPI(MPI_Win_unlock_all(window.handle()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (job.rank == home) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, home, 0, window.handle()));
        CHECK_EQ(window[1], static_cast<long>(rounds) * job.size);
        CHECK_MPI(MPI_Win_unlock(home, window.handle()));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// A rank waits for a value in its own part, and calls nothing but MPI_Win_sync.
void watched_flag(const check::job &job, flavour how) {
    window_of<int> window(how, 1);
    const int next = (job.rank + 1) % job.size;
    CHECK_MPI(MPI_Win_lock_all(0, window.handle()));
    for (int lap = 1; lap <= 5; ++lap) {
        const auto pass_on = [&] {
            CHECK_MPI(MPI_Accumulate(&lap, 1, MPI_INT, next, window.at(next, 0), 1, MPI_INT, MPI_REPLACE,
                                     window.handle()));
            CHECK_MPI(MPI_Win_flush(next, window.handle()));
        };
        if (job.rank == 0)
            pass_on();
        while (std::atomic_ref<int>(window[0]).load() < lap)
            CHECK_MPI(MPI_Win_sync(window.handle()));
        if (job.rank != 0)
            pass_on();
    }
    CHECK_MPI(MPI_Win_unlock_all(window.handle()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// Ranks that take one lock again and again let each other have it: none ends before all have had their
/// turns, which each counts for itself under the lock. Calls between, of any number, make no difference.
void turns(const check::job &job, flavour how, int rounds) {
    const auto ranks = static_cast<std::size_t>(job.size);
    for (int flushes = 0; flushes < 3; ++flushes) {
        window_of<int> window(how, ranks);
        std::vector<int> counts(ranks);
        while (*std::min_element(counts.begin(), counts.end()) < rounds) {
            CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.handle()));
            CHECK_MPI(MPI_Get(counts.data(), job.size, MPI_INT, 0, window.at(0, 0), job.size, MPI_INT,
                              window.handle()));
            for (int i = 0; i < std::max(flushes, 1); ++i)
                CHECK_MPI(MPI_Win_flush(0, window.handle()));
            const int next = ++counts[static_cast<std::size_t>(job.rank)];
            CHECK_MPI(MPI_Put(&next, 1, MPI_INT, 0, window.at(0, static_cast<std::size_t>(job.rank)), 1,
                              MPI_INT, window.handle()));
            if (flushes == 0)
                CHECK_MPI(MPI_Win_flush_local(0, window.handle()));
            CHECK_MPI(MPI_Win_unlock(0, window.handle()));
        }
    }
}

/// Whether all ranks have an address for rank 0's part.
bool all_reach_the_first(const window_of<long> &window, flavour how) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void *there = nullptr;
    if (how != flavour::dynamic)
        CHECK_MPI(MPI_Win_shared_query(window.handle(), 0, &bytes, &unit, static_cast<void *>(&there)));
    int reached = there != nullptr && bytes != 0 ? 1 : 0;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &reached, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    return reached != 0;
}

/// Rank 0 computes until all others are done with its part. It calls MPI only where they need its help: where
/// they have no address for its memory, it must look for their requests now and then.
void computing_owner(const check::job &job, flavour how, int rounds) {
    window_of<long> window(how, 2);
    const bool alone = all_reach_the_first(window, how);
    const long one = 1;
    if (job.rank == 0) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (std::atomic_ref<long>(window[1]).load() < job.size - 1) {
            CHECK(std::chrono::steady_clock::now() < limit);
            std::this_thread::yield();
            int flag = 0;
            if (!alone)
                CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        }
    } else {
        for (int i = 0; i < rounds; ++i) {
            CHECK_MPI(MPI_Win_lock(i % 2 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window.handle()));
            CHECK_MPI(
                MPI_Accumulate(&one, 1, MPI_LONG, 0, window.at(0, 0), 1, MPI_LONG, MPI_SUM, window.handle()));
            CHECK_MPI(MPI_Win_unlock(0, window.handle()));
        }
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.handle()));
        CHECK_MPI(
            MPI_Accumulate(&one, 1, MPI_LONG, 0, window.at(0, 1), 1, MPI_LONG, MPI_SUM, window.handle()));
        CHECK_MPI(MPI_Win_unlock(0, window.handle()));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (job.rank == 0) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.handle()));
        CHECK_EQ(window[0], static_cast<long>(rounds) * (job.size - 1));
        CHECK_MPI(MPI_Win_unlock(0, window.handle()));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

constexpr int thread_count = 3;

template <class Body> void on_threads(Body body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&body, t] { body(t); });
    for (std::thread &thread : threads)
        thread.join();
}

/// Threads of a rank use one epoch together: atomics, transfers of their own, and a flush each.
void threads_in_one_epoch(const check::job &job, flavour how, int rounds) {
    window_of<long> window(how, 1 + static_cast<std::size_t>(job.size * thread_count));
    CHECK_MPI(MPI_Win_lock_all(0, window.handle()));
    std::atomic<long> drawn{0};
    on_threads([&](int t) {
        const auto own = static_cast<std::size_t>(1 + job.rank * thread_count + t);
        for (int i = 0; i < rounds; ++i) {
            const int target = (job.rank + i) % job.size;
            const long one = 1;
            long before = -1;
            CHECK_MPI(MPI_Fetch_and_op(&one, &before, MPI_LONG, target, window.at(target, 0), MPI_SUM,
                                       window.handle()));
            CHECK_MPI(MPI_Win_flush(target, window.handle()));
            CHECK(before >= 0 && before < static_cast<long>(rounds) * job.size * thread_count);
            drawn += before;
            const long mine = i;
            long back = -1;
            CHECK_MPI(
                MPI_Put(&mine, 1, MPI_LONG, target, window.at(target, own), 1, MPI_LONG, window.handle()));
            CHECK_MPI(MPI_Win_flush(target, window.handle()));
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Rget(&back, 1, MPI_LONG, target, window.at(target, own), 1, MPI_LONG,
                               window.handle(), &request));
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK_EQ(back, mine);
        }
    });
    CHECK_MPI(MPI_Win_unlock_all(window.handle()));
    long sums[2] = {drawn.load(), 0};
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, job.rank, 0, window.handle()));
    const long count = window[0];
    CHECK_MPI(MPI_Win_unlock(job.rank, window.handle()));
    sums[1] = count * (count - 1) / 2; // each ticket was drawn once
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sums[0], sums[1]);
}

/// Each thread has a window of its own and locks it as it likes; one lock of a shared window goes from thread
/// to thread.
void threads_with_locks(const check::job &job, flavour how, int rounds) {
    std::vector<std::unique_ptr<window_of<long>>> own;
    for (int t = 0; t < thread_count; ++t)
        own.push_back(std::make_unique<window_of<long>>(how, 1));
    window_of<long> common(how, 1);
    std::mutex turn; // a rank cannot hold the same lock twice
    const auto add = [&](window_of<long> &window, int target) {
        long held = -1;
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.handle()));
        CHECK_MPI(MPI_Get(&held, 1, MPI_LONG, target, window.at(target, 0), 1, MPI_LONG, window.handle()));
        CHECK_MPI(MPI_Win_flush(target, window.handle()));
        ++held;
        CHECK_MPI(MPI_Put(&held, 1, MPI_LONG, target, window.at(target, 0), 1, MPI_LONG, window.handle()));
        CHECK_MPI(MPI_Win_unlock(target, window.handle()));
    };
    on_threads([&](int t) {
        for (int i = 0; i < rounds; ++i) {
            add(*own[static_cast<std::size_t>(t)], (job.rank + i) % job.size);
            const std::lock_guard guard(turn);
            add(common, 0);
        }
    });
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    long sums[2] = {0, 0};
    for (const auto &window : own) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, job.rank, 0, window->handle()));
        sums[0] += (*window)[0];
        CHECK_MPI(MPI_Win_unlock(job.rank, window->handle()));
    }
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, job.rank, 0, common.handle()));
    sums[1] = common[0];
    CHECK_MPI(MPI_Win_unlock(job.rank, common.handle()));
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sums[0], static_cast<long>(rounds) * job.size * thread_count);
    CHECK_EQ(sums[1], static_cast<long>(rounds) * job.size * thread_count);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv, MPI_THREAD_MULTIPLE);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        exclusive(job, how, rounds);
        owner_stores(job, how, rounds);
        shared_together(job, how);
        readers_and_writers(job, how, 4 * rounds);
        several_targets(job, how, rounds / 3);
        spin_lock(job, how, rounds);
        watched_flag(job, how);
        computing_owner(job, how, rounds);
        turns(job, how, std::min(rounds, 10));
        if (job.threads) {
            threads_in_one_epoch(job, how, rounds);
            threads_with_locks(job, how, rounds / 3);
        }
    }
}
