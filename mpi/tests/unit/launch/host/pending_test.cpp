// SPDX-License-Identifier: Apache-2.0
// Signals that wait for a rank: a standard signal once, those of real time in order, and no more than there
// are places for.
#include "launch/host/signals/pending.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace lisle::host;

siginfo_t signal_with(int number, int value) {
    siginfo_t made{};
    made.si_signo = number;
    made.si_code = SI_QUEUE;
    made.si_value.sival_int = value;
    return made;
}

struct HostPending : testing::Test {
    std::unique_ptr<signal_places> places{new signal_places{}};
    pending_signals waiting;
    siginfo_t taken{};

    int take(int number) { return waiting.take(number, taken, *places) ? taken.si_value.sival_int : -1; }
};

TEST_F(HostPending, AStandardSignalWaitsOnce) {
    EXPECT_TRUE(waiting.add(signal_with(SIGUSR1, 1), *places));
    EXPECT_TRUE(waiting.add(signal_with(SIGUSR1, 2), *places));
    EXPECT_EQ(waiting.set(), bit_of(SIGUSR1));
    EXPECT_EQ(take(SIGUSR1), 1);
    EXPECT_EQ(take(SIGUSR1), -1);
    EXPECT_EQ(waiting.set(), signal_bits{0});
}

TEST_F(HostPending, SignalsOfRealTimeKeepTheirOrder) {
    const int number = SIGRTMIN + 4;
    for (int i = 0; i != 5; ++i) {
        waiting.add(signal_with(number, i), *places);
        waiting.add(signal_with(number + 1, 10 + i), *places);
    }
    for (int i = 0; i != 5; ++i) {
        EXPECT_EQ(take(number + 1), 10 + i);
    }
    EXPECT_EQ(waiting.set(), bit_of(number));
    for (int i = 0; i != 5; ++i) {
        EXPECT_EQ(take(number), i);
    }
    waiting.add(signal_with(SIGUSR2, 7), *places); // the list is empty and works again
    EXPECT_EQ(take(SIGUSR2), 7);
}

TEST_F(HostPending, ThereAreSoManyPlaces) {
    const int number = SIGRTMIN + 4;
    for (std::size_t i = 0; i != signal_places::most; ++i) {
        ASSERT_TRUE(waiting.add(signal_with(number, static_cast<int>(i)), *places));
    }
    EXPECT_FALSE(waiting.add(signal_with(number, -1), *places));
    EXPECT_EQ(take(number), 0);
    EXPECT_TRUE(waiting.add(signal_with(number, 5000), *places));
    waiting.drop(number, *places);
    EXPECT_EQ(waiting.set(), signal_bits{0});
    EXPECT_TRUE(waiting.add(signal_with(SIGUSR1, 1), *places));
}

} // namespace
