// SPDX-License-Identifier: Apache-2.0
// The lock word: who may enter when, whom to wake, and that no two exclude each other under contention.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "rma/lock_word.hpp"

namespace {

using lisle::rma::lock_word;
using kind = lock_word::kind;
using wake = lock_word::wake;

TEST(lock_word, admits_readers_together_and_a_writer_alone) {
    lock_word lock;
    EXPECT_TRUE(lock.try_lock(kind::shared, false));
    EXPECT_TRUE(lock.try_lock(kind::shared, false));
    EXPECT_FALSE(lock.try_lock(kind::exclusive, false));
    EXPECT_EQ(lock.unlock(kind::shared), wake::nobody);
    EXPECT_EQ(lock.unlock(kind::shared), wake::nobody);
    EXPECT_TRUE(lock.free());
    EXPECT_TRUE(lock.try_lock(kind::exclusive, false));
    EXPECT_FALSE(lock.try_lock(kind::shared, false));
    EXPECT_FALSE(lock.try_lock(kind::exclusive, false));
    EXPECT_FALSE(lock.free());
}

TEST(lock_word, makes_new_readers_wait_behind_a_writer) {
    lock_word lock;
    ASSERT_TRUE(lock.try_lock(kind::shared, false));
    lock.register_waiter(kind::exclusive);
    EXPECT_FALSE(lock.try_lock(kind::shared, false));
    EXPECT_EQ(lock.unlock(kind::shared), wake::one_writer);
    EXPECT_TRUE(lock.try_lock(kind::exclusive, true));
    EXPECT_EQ(lock.unlock(kind::exclusive), wake::nobody);
    EXPECT_TRUE(lock.try_lock(kind::shared, false));
}

TEST(lock_word, lets_waiting_readers_in_between_writers) {
    lock_word lock;
    ASSERT_TRUE(lock.try_lock(kind::exclusive, false));
    lock.register_waiter(kind::exclusive);
    lock.register_waiter(kind::shared);
    lock.register_waiter(kind::shared);
    EXPECT_EQ(lock.unlock(kind::exclusive), wake::readers);
    EXPECT_FALSE(lock.try_lock(kind::shared, false)); // not one of those that waited
    EXPECT_TRUE(lock.try_lock(kind::shared, true));
    EXPECT_TRUE(lock.try_lock(kind::shared, true));
    EXPECT_FALSE(lock.try_lock(kind::shared, false)); // their turn is over
    EXPECT_EQ(lock.unlock(kind::shared), wake::nobody);
    EXPECT_EQ(lock.unlock(kind::shared), wake::one_writer);
    EXPECT_TRUE(lock.try_lock(kind::exclusive, true));
}

TEST(lock_word, forgets_a_waiter_that_gives_up) {
    lock_word lock;
    ASSERT_TRUE(lock.try_lock(kind::shared, false));
    lock.register_waiter(kind::exclusive);
    lock.withdraw_waiter(kind::exclusive);
    EXPECT_TRUE(lock.try_lock(kind::shared, false));
    EXPECT_EQ(lock.unlock(kind::shared), wake::nobody);
}

TEST(lock_word, excludes_under_contention) {
    constexpr int threads = 4;
    constexpr int rounds = 20'000;
    lock_word lock;
    long counter = 0; // protected by the lock: a data race shows under ThreadSanitizer
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
            for (int i = 0; i < rounds; ++i) {
                const kind wanted = (i + t) % 4 == 0 ? kind::shared : kind::exclusive;
                bool taken = lock.try_lock(wanted, false);
                if (!taken) {
                    lock.register_waiter(wanted);
                    while (!(taken = lock.try_lock(wanted, true))) {
                        std::this_thread::yield();
                    }
                }
                if (wanted == kind::exclusive) {
                    ++counter;
                } else { // several at once: they only read
                    EXPECT_GE(counter, 0);
                }
                static_cast<void>(lock.unlock(wanted));
            }
        });
    }
    for (std::thread &each : all) {
        each.join();
    }
    EXPECT_EQ(counter, long{threads} * rounds * 3 / 4);
    EXPECT_TRUE(lock.free());
}

} // namespace
