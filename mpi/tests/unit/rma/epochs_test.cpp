// SPDX-License-Identifier: Apache-2.0
// Which targets an access epoch allows, and the errors of calls that do not fit the epoch that is open.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "../error_code.hpp"
#include "mpi.h"
#include "rma/state/epochs.hpp"

namespace {

using namespace lisle;
using kind = rma::lock_word::kind;

TEST(access_epoch, allows_nobody_at_first) {
    rma::access_epoch epoch;
    EXPECT_FALSE(epoch.allows(0));
    EXPECT_EQ(code_of([&] { epoch.check_passive(0); }), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(code_of([&] { static_cast<void>(epoch.complete()); }), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(code_of([&] { static_cast<void>(epoch.unlock_all()); }), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(code_of([&] { static_cast<void>(epoch.locked(0)); }), MPI_ERR_RMA_SYNC);
}

TEST(access_epoch, of_fences_allows_all_until_the_last) {
    rma::access_epoch epoch;
    epoch.check_fence();
    epoch.fence(true);
    EXPECT_EQ(code_of([&] {
                  static_cast<void>(epoch.expect_lock({1, kind::shared, true}));
              }),
              MPI_SUCCESS); // nothing has been accessed
    EXPECT_TRUE(epoch.allows(3));
    EXPECT_EQ(code_of([&] {
                  static_cast<void>(epoch.expect_lock({1, kind::shared, true}));
              }),
              MPI_ERR_RMA_SYNC);
    EXPECT_EQ(code_of([&] { epoch.check_start(); }), MPI_ERR_RMA_SYNC);
    epoch.fence(false);
    EXPECT_FALSE(epoch.allows(3));
}

TEST(access_epoch, of_fences_allows_all_to_several_threads_at_once) {
    for (int round = 0; round < 100; ++round) {
        rma::access_epoch epoch;
        epoch.fence(true);
        std::atomic<int> ready{0};
        std::atomic<int> allowed{0};
        const auto access = [&] {
            ready.fetch_add(1);
            while (ready.load() < 2) {
            }
            allowed.fetch_add(epoch.allows(1) ? 1 : 0);
        };
        std::thread other{access};
        access();
        other.join();
        ASSERT_EQ(allowed.load(), 2) << "in round " << round;
    }
}

TEST(access_epoch, of_start_allows_the_group) {
    rma::access_epoch epoch;
    epoch.start({4, 2});
    EXPECT_TRUE(epoch.allows(2));
    EXPECT_TRUE(epoch.allows(4));
    EXPECT_FALSE(epoch.allows(3));
    EXPECT_EQ(code_of([&] { epoch.check_fence(); }), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(code_of([&] { epoch.check_over(); }), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(epoch.complete(), (std::vector<int>{2, 4}));
    EXPECT_FALSE(epoch.allows(2));
}

TEST(access_epoch, of_locks_allows_what_is_locked) {
    rma::access_epoch epoch;
    epoch.lock(epoch.expect_lock({1, kind::exclusive, true}));
    EXPECT_TRUE(epoch.allows(1));
    EXPECT_TRUE(epoch.excludes_others(1));
    EXPECT_FALSE(epoch.allows(2));
    EXPECT_EQ(code_of([&] {
                  static_cast<void>(epoch.expect_lock({1, kind::shared, true}));
              }),
              MPI_ERR_RMA_SYNC);
    epoch.lock(epoch.expect_lock({2, kind::shared, true}));
    EXPECT_TRUE(epoch.allows(1));
    EXPECT_TRUE(epoch.allows(2));
    EXPECT_FALSE(epoch.allows(3));
    EXPECT_EQ(code_of([&] { epoch.check_passive(2); }), MPI_SUCCESS);
    EXPECT_EQ(code_of([&] { epoch.check_passive(3); }), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(code_of([&] { epoch.check_lock_all(); }), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(epoch.locked(1).kind, kind::exclusive);
    epoch.forget(1);
    EXPECT_FALSE(epoch.allows(1));
    EXPECT_FALSE(epoch.excludes_others(1));
    EXPECT_TRUE(epoch.allows(2));
    epoch.forget(2);
    EXPECT_EQ(code_of([&] { epoch.check_over(); }), MPI_SUCCESS);
}

TEST(access_epoch, that_is_passive_is_known_at_once) {
    rma::access_epoch epoch;
    EXPECT_EQ(code_of([&] { epoch.check_passive(-1); }), MPI_ERR_RMA_SYNC);
    epoch.fence(true);
    EXPECT_TRUE(epoch.allows(1));
    EXPECT_FALSE(epoch.is_passive_at_once(1));
    epoch.fence(false);
    epoch.lock({{1, kind::shared, true}});
    EXPECT_TRUE(epoch.is_passive_at_once(1));
    EXPECT_FALSE(epoch.is_passive_at_once(2));
    EXPECT_EQ(code_of([&] { epoch.check_passive(-1); }), MPI_SUCCESS);
    epoch.forget(1);
    EXPECT_FALSE(epoch.is_passive_at_once(1));
    epoch.lock_all(true);
    EXPECT_TRUE(epoch.is_passive_at_once(2));
    EXPECT_TRUE(epoch.unlock_all());
    EXPECT_FALSE(epoch.is_passive_at_once(2));
}

TEST(access_epoch, ends_with_the_rank) {
    rma::access_epoch epoch;
    epoch.lock_all(true);
    epoch.end();
    EXPECT_FALSE(epoch.allows(0));
    EXPECT_FALSE(epoch.is_passive_at_once(0));
    EXPECT_EQ(code_of([&] { epoch.check_passive(0); }), MPI_ERR_RMA_SYNC);
}

} // namespace
