// SPDX-License-Identifier: Apache-2.0
// Threads that a rank starts are its own: they see its globals, start with fresh thread-local variables,
// run their destructors, and have the stack they asked for.
#include <atomic>
#include <cstdio>
#include <future>
#include <pthread.h>
#include <string>
#include <thread>
#include <threads.h>
#include <vector>

extern "C" int lone_job_rank(void);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static constexpr std::size_t small = 262144;
#else
static constexpr std::size_t small = 16384;
#endif

static std::atomic<int> sum;
static std::atomic<int> destroyed;
static std::atomic<int> bad;
thread_local int own = 5;
struct counted {
    std::string text = "a text that is long enough to live on the heap";
    ~counted() { destroyed += text.size() == 46; }
};
thread_local counted object;

static void work(int rank) {
    bad += own != 5 || object.text.size() != 46 || lone_job_rank() != rank;
    own += rank;
    std::thread([rank] { bad += own != 5 || lone_job_rank() != rank; }).join();
    bad += own != 5 + rank;
    ++sum;
}

static void *small_stack(void *rank) {
    volatile char used[8192];
    for (std::size_t i = 0; i < sizeof used; i += 64) {
        used[i] = 1;
    }
    work(*static_cast<int *>(rank));
    return nullptr;
}

int main() {
    int rank = lone_job_rank();
    own = 77;
    std::vector<std::thread> threads;
    for (int i = 0; i != 8; ++i) {
        threads.emplace_back(work, rank);
    }
    for (std::thread &each : threads) {
        each.join();
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, small);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, small_stack, &rank) != 0) {
        std::printf("no small stack\n");
        return 2;
    }
    pthread_join(thread, nullptr);
    thrd_t plain;
    thrd_create(
        &plain,
        [](void *argument) {
            work(*static_cast<int *>(argument));
            return 13;
        },
        &rank);
    int result = 0;
    thrd_join(plain, &result);
    bad += std::async(std::launch::async, [] { return own; }).get() != 5;
    bad += own != 77 || sum != 10 || destroyed != 10 || result != 13;
    std::printf("rank %d %s\n", rank, bad != 0 ? "BAD" : "good");
    return bad != 0;
}
