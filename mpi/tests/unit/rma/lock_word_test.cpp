// SPDX-License-Identifier: Apache-2.0
// The lock word: who may enter when, whom to wake, and that no two exclude each other under contention.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "rma/state/lock_word.hpp"

namespace {

using lisle::rma::lock_word;
using kind = lock_word::kind;
using wake = lock_word::wake;
constexpr auto far = lock_word::origin::far;

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

TEST(lock_word, lets_ranks_of_the_node_in_between_those_of_others) {
    lock_word lock;
    ASSERT_TRUE(lock.try_lock(kind::exclusive, false, far));
    lock.register_waiter(kind::exclusive); // for another node
    lock.register_waiter(kind::exclusive);
    EXPECT_EQ(lock.unlock_far(kind::exclusive, kind::exclusive), wake::one_writer);
    EXPECT_FALSE(lock.try_lock(kind::exclusive, true, far));
    EXPECT_FALSE(lock.try_lock(kind::exclusive, false, far));
    EXPECT_TRUE(lock.try_lock(kind::exclusive, true));
    EXPECT_EQ(lock.unlock(kind::exclusive), wake::one_writer);
    EXPECT_TRUE(lock.try_lock(kind::exclusive, true, far));
    EXPECT_EQ(lock.unlock_far(kind::exclusive, {}), wake::nobody);
    EXPECT_TRUE(lock.try_lock(kind::exclusive, false, far));
}

TEST(lock_word, gives_others_the_turn_that_none_of_the_node_takes) {
    lock_word lock;
    ASSERT_TRUE(lock.try_lock(kind::exclusive, false, far));
    lock.register_waiter(kind::exclusive); // for another node
    lock.register_waiter(kind::exclusive);
    EXPECT_EQ(lock.unlock_far(kind::exclusive, kind::exclusive), wake::one_writer);
    lock.withdraw_waiter(kind::exclusive);
    EXPECT_TRUE(lock.try_lock(kind::exclusive, true, far));
}

// None may be woken that cannot enter: that would be the end of waking.
TEST(lock_word, wakes_only_those_that_may_enter_after_a_rank_of_another_node) {
    for (const kind held : {kind::shared, kind::exclusive}) {
        for (const kind awaited : {kind::shared, kind::exclusive}) {
            for (const kind waiting : {kind::shared, kind::exclusive}) {
                lock_word lock;
                ASSERT_TRUE(lock.try_lock(held, false, far));
                lock.register_waiter(awaited); // for another node
                lock.register_waiter(waiting);
                const wake whom = lock.unlock_far(held, awaited);
                const bool far_enters = lock.try_lock(awaited, true, far);
                if (!far_enters) {
                    EXPECT_EQ(whom, waiting == kind::shared ? wake::readers : wake::one_writer);
                    EXPECT_TRUE(lock.try_lock(waiting, true));
                }
            }
        }
    }
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
                const auto whose = t == 0 ? far : lock_word::origin::near;
                bool taken = lock.try_lock(wanted, false, whose);
                if (!taken) {
                    lock.register_waiter(wanted);
                    while (!(taken = lock.try_lock(wanted, true, whose))) {
                        std::this_thread::yield();
                    }
                }
                if (wanted == kind::exclusive) {
                    ++counter;
                } else { // several at once: they only read
                    EXPECT_GE(counter, 0);
                }
                static_cast<void>(t == 0 ? lock.unlock_far(wanted, {}) : lock.unlock(wanted));
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
