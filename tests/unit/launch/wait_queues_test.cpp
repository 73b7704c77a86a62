// SPDX-License-Identifier: Apache-2.0
// The host's waiting room, with the library's part played here.
#include "launch/host/waiting/wait_queues.hpp"

#include <gtest/gtest.h>

namespace {

int place;
int woken_by_bell = -1;

} // namespace

extern "C" {
lisle_rank *lisle_host_current_rank() {
    return nullptr;
}
uint32_t lisle_host_rung() {
    return 0;
}
void lisle_host_rest(uint32_t, uint64_t) {}
int lisle_host_yield() {
    return 0;
}
/// As the library's bells do: it wakes a thread through a futex, for which the host looks into the room.
void lisle_host_ring(const lisle_rank *) {
    woken_by_bell = lisle::host::wake(&place, 1);
    lisle::host::try_to_wake(&place);
}
}

namespace lisle::host {

/// Time passes with each look.
std::int64_t time_of(clockid_t) noexcept {
    static std::int64_t now = 0;
    return ++now;
}

namespace {

TEST(wait_queues, a_bell_that_wakes_a_thread_finds_nobody_and_no_lock) {
    waiting_fiber first{&place};
    waiting_fiber second{&place};
    EXPECT_EQ(wake(&place, 1), 1);
    EXPECT_EQ(woken_by_bell, 0);
    EXPECT_EQ(wake(&place, 2), 1) << "the second was called by the bell of the first";
}

TEST(wait_queues, whoever_came_first_is_called_first) {
    waiting_fiber first{&place};
    waiting_fiber second{&place};
    EXPECT_EQ(wake(&place, 1), 1);
    EXPECT_TRUE(first.wait(deadline::after(1)));
    EXPECT_FALSE(second.wait(deadline::after(1)));
    EXPECT_EQ(wake(&first, 1), 0);
    EXPECT_EQ(wake(&place, 5), 1);
}

} // namespace
} // namespace lisle::host
