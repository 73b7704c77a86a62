// SPDX-License-Identifier: Apache-2.0
// Calls of the C library that wait, as the host supplies them to fibers: others run until there is what the
// call waits for, or its time is over. The thread that calls is not held up: no test waits for anything but
// itself.
#include "launch/host/rank/own_code.hpp"
#include "launch/host/waiting/giving_way.hpp"
#include "launch/host/waiting/wait_queues.hpp"
#include "played_library.hpp"
#include "program.hpp"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace lisle::host {
namespace {

using played::as_fiber;

class HostWaiting : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        note_own_code();
        let_fibers_give_way();
    }
    void SetUp() override { ASSERT_EQ(pipe(ends), 0); }
    void TearDown() override {
        close(ends[0]);
        close(ends[1]);
    }
    /// What a write in another fiber does.
    void fill_after(int rests, const std::string &text) const {
        played::meanwhile = [this, rests, text] {
            if (played::rests == rests) {
                ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
            }
        };
    }
    int ends[2] = {-1, -1};
    char buffer[16] = {};
};

/// A moment on the machine's own date so many nanoseconds after what simulated clocks show now.
timespec after(std::int64_t nanoseconds) {
    const std::int64_t end = played::now + begin_of(CLOCK_REALTIME) + nanoseconds;
    return {end / second, end % second};
}

TEST_F(HostWaiting, AReadLetsOthersRunUntilThereIsSomething) {
    const as_fiber self;
    fill_after(3, "abc");
    EXPECT_EQ(program::read_some(ends[0], buffer, sizeof buffer), 3);
    EXPECT_EQ(played::rests, 3);
    EXPECT_STREQ(buffer, "abc");
}

TEST_F(HostWaiting, AReadThatWouldNotBlockDoesNotRest) {
    const as_fiber self;
    ASSERT_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    EXPECT_EQ(program::read_some(ends[0], buffer, sizeof buffer), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(program::read_some(-1, buffer, sizeof buffer), -1);
    EXPECT_EQ(errno, EBADF);
    EXPECT_EQ(played::rests, 0);
}

TEST_F(HostWaiting, CallsOfTheHostItselfDoNotGiveWay) {
    const as_fiber self;
    pollfd asked{ends[0], POLLIN, 0};
    EXPECT_EQ(poll(&asked, 1, 0), 0);
    EXPECT_EQ(played::rests, 0);
}

TEST_F(HostWaiting, AThreadThatIsNoFiberCallsTheCLibrary) {
    played::rests = 0;
    pollfd asked{ends[0], POLLIN, 0};
    EXPECT_EQ(program::poll_for(&asked, 1, 0), 0);
    EXPECT_EQ(program::write_all(ends[1], "x", 1), 1);
    EXPECT_EQ(program::poll_for(&asked, 1, -1), 1);
    EXPECT_EQ(played::rests, 0);
}

TEST_F(HostWaiting, APollEndsAtItsTime) {
    const as_fiber self;
    const std::int64_t before = played::now;
    pollfd asked{ends[0], POLLIN, 0};
    EXPECT_EQ(program::poll_for(&asked, 1, 20), 0);
    EXPECT_EQ(played::now - before, 20'000'000);
    fill_after(played::rests + 2, "x");
    EXPECT_EQ(program::poll_for(&asked, 1, -1), 1);
}

TEST_F(HostWaiting, ASelectSaysWhatIsReadable) {
    const as_fiber self;
    EXPECT_EQ(program::select_to_read(ends[0], 3000), 0);
    fill_after(played::rests + 3, "x");
    EXPECT_EQ(program::select_to_read(ends[0], 1'000'000), 1);
}

TEST_F(HostWaiting, AWriteGoesOnWhileSomebodyReads) {
    const as_fiber self;
    const std::string data(200'000, 'x'); // more than a pipe holds
    std::size_t taken = 0;
    played::meanwhile = [&] {
        std::string piece(50'000, ' ');
        taken += static_cast<std::size_t>(read(ends[0], piece.data(), piece.size()));
    };
    EXPECT_EQ(program::write_all(ends[1], data.data(), data.size()), static_cast<ssize_t>(data.size()));
    EXPECT_GT(played::rests, 2);
    EXPECT_GE(taken, 100'000U);
}

TEST_F(HostWaiting, ASocketsOwnLimitEndsTheCall) {
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    const timeval limit{1, 0};
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const as_fiber self;
    const std::int64_t before = played::now;
    EXPECT_EQ(program::read_some(pair[0], buffer, sizeof buffer), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(played::now - before, second);
    EXPECT_EQ(program::send_all(pair[0], "abc", 3), 3);
    close(pair[0]);
    close(pair[1]);
}

TEST_F(HostWaiting, ASleepTakesSimulatedTimeOnly) {
    const as_fiber self;
    const std::int64_t before = played::now;
    EXPECT_EQ(program::sleep_for(3600 * second), 0);
    EXPECT_EQ(played::now - before, 3600 * second);
}

TEST_F(HostWaiting, ClocksShowSimulatedTime) {
    const as_fiber self;
    played::now = 5 * second;
    EXPECT_EQ(nanoseconds_of(program::time_on(CLOCK_MONOTONIC)), 5 * second + 1) << "reading takes time";
    EXPECT_EQ(program::seconds(), begin_of(CLOCK_REALTIME) / second + 5);
    EXPECT_EQ(nanoseconds_of(program::resolution_of(CLOCK_REALTIME)), 1);
    EXPECT_LT(nanoseconds_of(program::time_on(CLOCK_THREAD_CPUTIME_ID)), 1000 * second);
}

TEST_F(HostWaiting, ALockIsWaitedForByLettingOthersRun) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    ASSERT_EQ(program::lock(&mutex), 0);
    const as_fiber self;
    const timespec soon = after(10'000'000);
    EXPECT_EQ(program::lock_until(&mutex, &soon), ETIMEDOUT);
    const int rests = played::rests;
    played::meanwhile = [&] {
        if (played::rests == rests + 20) {
            EXPECT_EQ(program::unlock(&mutex), 0);
        }
    };
    EXPECT_EQ(program::lock(&mutex), 0);
    EXPECT_GE(played::rests, rests + 20);
    EXPECT_EQ(program::unlock(&mutex), 0);
}

TEST_F(HostWaiting, ASemaphoreIsWaitedForByLettingOthersRun) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    const as_fiber self;
    const timespec soon = after(10'000'000);
    EXPECT_EQ(program::wait_until(&semaphore, &soon), -1);
    EXPECT_EQ(errno, ETIMEDOUT);
    const int rests = played::rests;
    played::meanwhile = [&] {
        if (played::rests == rests + 5) {
            sem_post(&semaphore);
        }
    };
    EXPECT_EQ(program::wait(&semaphore), 0);
    sem_destroy(&semaphore);
}

TEST_F(HostWaiting, ASignalCallsTheFiberThatWaits) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    const as_fiber self;
    ASSERT_EQ(program::lock(&mutex), 0);
    played::meanwhile = [&] {
        if (played::rests == 2) {
            EXPECT_TRUE(has_waiters());
            EXPECT_EQ(pthread_mutex_trylock(&mutex), 0) << "a fiber that waits has given the mutex back";
            EXPECT_EQ(program::unlock(&mutex), 0);
            EXPECT_EQ(program::signal(&condition), 0);
        }
    };
    EXPECT_EQ(program::wait(&condition, &mutex), 0);
    EXPECT_EQ(played::rests, 2);
    EXPECT_FALSE(has_waiters());
    EXPECT_EQ(program::unlock(&mutex), 0);
}

/// As the library's bells do: each wakes a thread through a futex, for which the host looks into its queues.
class HostQueues : public HostWaiting {
  protected:
    HostQueues() {
        played::bell = [this] {
            woken_by_bell = wake(&place, 1);
            try_to_wake(&place);
        };
    }
    ~HostQueues() override { played::bell = nullptr; }
    HostQueues(const HostQueues &) = delete;
    HostQueues &operator=(const HostQueues &) = delete;

    const as_fiber self;
    int place = 0;
    int woken_by_bell = -1;
};

TEST_F(HostQueues, ABellThatWakesAThreadFindsNoFiberAndNoLock) {
    const waiting_fiber first{&place};
    const waiting_fiber second{&place};
    EXPECT_EQ(wake(&place, 1), 1);
    EXPECT_EQ(woken_by_bell, 0);
    EXPECT_EQ(wake(&place, 2), 1) << "the bell of the first woke the second";
}

TEST_F(HostQueues, TheFirstToWaitIsTheFirstWoken) {
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
