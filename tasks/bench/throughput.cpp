// SPDX-License-Identifier: Apache-2.0
// Fine-grained tasks for each second in one process: the task machine and oneTBB, the same work in turns.
// Medians of some rounds.
//
//     bench_task_throughput [tiles]
//
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "lisle/task/kernel.hpp"
#include "lisle/task/machine.hpp"

namespace {

namespace tasks = lisle::tasks;

/// About a quarter of a microsecond.
long work(long seed) {
    for (int i = 0; i < 100; ++i) {
        seed = seed * 6364136223846793005L + 1442695040888963407L;
    }
    return seed;
}

template <class Body> double seconds(Body body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

long tbb_fib(long n) {
    if (n < 2) {
        return n;
    }
    long left = 0;
    tbb::task_group group;
    group.run([&] { left = tbb_fib(n - 1); });
    const long right = tbb_fib(n - 2);
    group.wait();
    return left + right;
}

template <class One, class Other> void compare(const char *what, double count, One one, Other other) {
    std::vector<double> ours, theirs;
    for (int round = 0; round < 9; ++round) {
        ours.push_back(seconds(one));
        theirs.push_back(seconds(other));
    }
    std::ranges::sort(ours);
    std::ranges::sort(theirs);
    std::printf("%-34s %8.0f ns a task, oneTBB %8.0f ns, ratio %.2f\n", what, ours[4] / count * 1e9,
                theirs[4] / count * 1e9, ours[4] / theirs[4]);
}

} // namespace

int main(int argc, char **argv) {
    const int tiles = argc > 1 ? std::atoi(argv[1]) : 2;
    const tbb::global_control limit{tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(tiles)};
    tasks::registry kernels;
    kernels.add("bench.work", &work);
    tasks::machine machine{kernels, {.tiles = tiles}};
    const auto fib = tasks::read("(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 25)");
    compare(
        "fib(25), a task for each call", 242785, [&] { machine.evaluate(fib); },
        [] { static_cast<void>(tbb_fib(25)); });
    const auto loop = tasks::read("(par-for i 0 200000 (bench.work i))");
    compare(
        "200,000 small kernels in a loop", 200000, [&] { machine.evaluate(loop); },
        [] {
            tbb::parallel_for(
                tbb::blocked_range<long>(0, 200000, 1),
                [](const auto &range) {
                    for (long i = range.begin(); i < range.end(); ++i) {
                        volatile long result = work(i);
                        static_cast<void>(result);
                    }
                },
                tbb::simple_partitioner{});
        });
}
