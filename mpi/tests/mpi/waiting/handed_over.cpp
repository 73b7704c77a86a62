// SPDX-License-Identifier: Apache-2.0
// A rank waits for its own helper thread, which cannot go on before another rank has sent it a message: by
// every means that the C and C++ libraries have to wait for a thread. Ranks that share a processor must not
// keep it from each other meanwhile.
#include "check.hpp"

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <semaphore>
#include <shared_mutex>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

int number = -1; ///< this rank
int ranks = 0;

/// Runs `wait` on the rank's own thread while a helper receives from the left neighbour and then runs `say`.
/// The message to the right is sent behind the wait by all but rank 0, so one rank after the other goes on.
void chain(int tag, const std::function<void()> &wait, const std::function<void()> &say) {
    const int left = (number + ranks - 1) % ranks;
    const int right = (number + 1) % ranks;
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    std::thread helper{[&] {
        int value = -1;
        CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(value, left);
        say();
    }};
    if (number == 0)
        CHECK_MPI(MPI_Send(&number, 1, MPI_INT, right, tag, MPI_COMM_WORLD));
    wait();
    if (number != 0)
        CHECK_MPI(MPI_Send(&number, 1, MPI_INT, right, tag, MPI_COMM_WORLD));
    helper.join();
}

void by_futures(int tag) {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    chain(
        tag, [&] { CHECK_EQ(future.get(), 7); }, [&] { promise.set_value(7); });
}

void by_conditions(int tag) {
    std::mutex mutex;
    std::condition_variable condition;
    bool said = false;
    chain(
        tag,
        [&] {
            std::unique_lock lock{mutex};
            condition.wait(lock, [&] { return said; });
        },
        [&] {
            const std::scoped_lock lock{mutex};
            said = true;
            condition.notify_one();
        });
}

/// A wait that nobody wakes in vain: it returns once.
void by_bare_conditions(int tag) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    bool said = false;
    pthread_mutex_lock(&mutex);
    chain(
        tag,
        [&] {
            pthread_cond_wait(&condition, &mutex);
            CHECK(said);
            pthread_mutex_unlock(&mutex);
        },
        [&] {
            pthread_mutex_lock(&mutex);
            said = true;
            pthread_cond_broadcast(&condition);
            pthread_mutex_unlock(&mutex);
        });
}

void by_mutexes(int tag) {
    std::mutex mutex;
    std::latch locked{2};
    chain(
        tag,
        [&] {
            locked.arrive_and_wait();
            const std::scoped_lock lock{mutex};
        },
        [&] {
            const std::scoped_lock lock{mutex};
            locked.arrive_and_wait();
            usleep(2000);
        });
}

void by_shared_mutexes(int tag) {
    std::shared_mutex mutex;
    std::latch locked{2};
    chain(
        tag,
        [&] {
            locked.arrive_and_wait();
            const std::shared_lock lock{mutex};
        },
        [&] {
            const std::unique_lock lock{mutex};
            locked.arrive_and_wait();
            usleep(2000);
        });
}

void by_semaphores(int tag) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    chain(
        tag, [&] { CHECK_EQ(sem_wait(&semaphore), 0); }, [&] { sem_post(&semaphore); });
    sem_destroy(&semaphore);
    std::binary_semaphore standard{0};
    chain(
        tag, [&] { standard.acquire(); }, [&] { standard.release(); });
}

void by_atomics(int tag) {
    std::atomic<int> word{0};
    chain(
        tag, [&] { word.wait(0); },
        [&] {
            word.store(1);
            word.notify_all();
        });
}

void by_barriers(int tag) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 2);
    chain(
        tag, [&] { pthread_barrier_wait(&barrier); }, [&] { pthread_barrier_wait(&barrier); });
    pthread_barrier_destroy(&barrier);
    std::barrier standard{2};
    chain(
        tag, [&] { standard.arrive_and_wait(); }, [&] { standard.arrive_and_wait(); });
}

void by_yielding(int tag) {
    std::atomic<bool> said{false};
    chain(
        tag,
        [&] {
            while (!said.load())
                std::this_thread::yield();
        },
        [&] { said.store(true); });
}

void by_pipes(int tag) {
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    char got = 0;
    const auto say = [&] { CHECK_EQ(write(ends[1], "x", 1), 1); };
    chain(
        tag, [&] { CHECK_EQ(read(ends[0], &got, 1), 1); }, say);
    CHECK_EQ(got, 'x');
    chain(
        tag,
        [&] {
            pollfd asked{ends[0], POLLIN, 0};
            CHECK_EQ(poll(&asked, 1, -1), 1);
        },
        say);
    CHECK_EQ(read(ends[0], &got, 1), 1);
    chain(
        tag,
        [&] {
            fd_set set;
            FD_ZERO(&set);
            FD_SET(ends[0], &set);
            CHECK_EQ(select(ends[0] + 1, &set, nullptr, nullptr, nullptr), 1);
            CHECK(FD_ISSET(ends[0], &set));
        },
        say);
    CHECK_EQ(read(ends[0], &got, 1), 1);
    // More than a pipe holds, read by the helper once its message has come.
    std::vector<char> data(300'000, 'y');
    std::vector<char> taken(data.size());
    chain(
        tag, [&] { CHECK_EQ(write(ends[1], data.data(), data.size()), static_cast<ssize_t>(data.size())); },
        [&] {
            for (std::size_t done = 0; done < taken.size();)
                done += static_cast<std::size_t>(read(ends[0], taken.data() + done, taken.size() - done));
        });
    CHECK(taken == data);
    close(ends[0]);
    close(ends[1]);
}

void by_sockets(int tag) {
    int ends[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    char got = 0;
    chain(
        tag, [&] { CHECK_EQ(recv(ends[0], &got, 1, 0), 1); }, [&] { CHECK_EQ(send(ends[1], "x", 1, 0), 1); });
    CHECK_EQ(got, 'x');
    CHECK_EQ(recv(ends[0], &got, 1, MSG_DONTWAIT), -1);
    std::vector<char> data(3'000'000, 'z');
    std::vector<char> taken(data.size());
    chain(
        tag, [&] { CHECK_EQ(send(ends[1], data.data(), data.size(), 0), static_cast<ssize_t>(data.size())); },
        [&] {
            CHECK_EQ(recv(ends[0], taken.data(), taken.size(), MSG_WAITALL),
                     static_cast<ssize_t>(taken.size()));
        });
    CHECK(taken == data);
    close(ends[0]);
    close(ends[1]);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv, MPI_THREAD_MULTIPLE};
    number = job.rank;
    ranks = job.size;
    constexpr void (*ways[])(int) = {by_futures,        by_conditions, by_bare_conditions, by_mutexes,
                                     by_shared_mutexes, by_semaphores, by_atomics,         by_barriers,
                                     by_yielding,       by_pipes,      by_sockets};
    int tag = 0;
    for (const auto way : ways) {
        if (std::getenv("CHECK_TELL") != nullptr)
            std::fprintf(stderr, "rank %d: way %d\n", number, tag);
        way(tag++);
    }
}
