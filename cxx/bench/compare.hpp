// SPDX-License-Identifier: Apache-2.0
// How programs of this folder compare C with the interface: stint by stint, with C against itself beside it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <sched.h>
#include <utility>
#include <vector>

#include <lisle/lisle.hpp>

inline const lisle::communicator world = lisle::world();

/// As bench.h's bench_pin: every rank its own processor, round robin.
inline void pin(int rank) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    int wanted = rank % CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <class Body> [[gnu::noinline]] double time_of(int rounds, Body &body) {
    body(); // the first round finds the stack's lines in no cache
    const double start = lisle::wall_time();
    for (int i = 0; i < rounds; ++i)
        body();
    return (lisle::wall_time() - start) / rounds;
}

/// The same from so many bytes further down the stack.
template <class Body> [[gnu::noinline]] double time_below(std::size_t bytes, int rounds, Body &body) {
    auto *const room = static_cast<volatile char *>(__builtin_alloca(bytes + 1));
    *room = 0;
    return time_of(rounds, body);
}

/// Numbers without a pattern.
class numbers {
  public:
    explicit numbers(unsigned seed) : state_{seed} {}
    unsigned below(unsigned bound) {
        state_ = state_ * 1664525u + 1013904223u;
        return (state_ >> 16) % bound;
    }

  private:
    unsigned state_;
};

/// Does a thing in C, in C again and through the interface: stint by stint, so that whatever else the machine
/// does meets all three, and in an order without a pattern, so that what depends on how many messages went
/// before (where the library's rings wrap, which way it tries next) does, too. Where in a page the stack
/// stands has no pattern either: frames of different sizes, as of C that asks for a status and C that does
/// not, else meet other lines of the first cache, for some percent in either direction that are the same in
/// every stint and no cost of anything. Prints the medians of the times, and of the ratios of the stints that
/// lie side by side: of C to the interface, and of C to itself, which shows how far the measurement can be
/// trusted. Stints are as long as they must be for the clock.
template <class C, class Cpp>
void compare(const char *name, long size, int rounds, int stints, C c, Cpp cpp) {
    std::array<std::vector<double>, 3> times;
    std::array<int, 3> order{0, 1, 2};
    numbers orders{1}; // the same on both ranks
    numbers places{2u + static_cast<unsigned>(world.rank())};
    time_of(rounds, c);
    time_of(rounds, cpp);
    world.barrier();
    for (int stint = 0; stint < stints; ++stint) {
        for (unsigned i = 2; i > 0; --i)
            std::swap(order[i], order[orders.below(i + 1)]);
        for (const int which : order) {
            const std::size_t bytes = std::size_t{16} * places.below(256);
            times[static_cast<std::size_t>(which)].push_back(which == 2 ? time_below(bytes, rounds, cpp)
                                                                        : time_below(bytes, rounds, c));
        }
    }
    if (world.rank() != 0)
        return;
    const auto &[first, again, other] = times;
    std::vector<double> control;
    std::vector<double> ratio;
    for (std::size_t i = 0; i < other.size(); ++i) {
        control.push_back(first[i] / again[i]);
        ratio.push_back(first[i] / other[i]);
        ratio.push_back(again[i] / other[i]);
    }
    std::printf("%s_c %ld %.9g\n", name, size, median(first));
    std::printf("%s_cpp %ld %.9g\n", name, size, median(other));
    std::printf("%s_ratio %ld %.9g\n", name, size, median(ratio));
    std::printf("%s_control %ld %.9g\n", name, size, median(control));
    std::fflush(stdout);
}

/// For main(): two ranks, each on a processor of its own.
inline void begin_with_two_ranks(const char *program) {
    if (world.size() != 2) {
        std::fprintf(stderr, "%s: wants two ranks, not %d\n", program, world.size());
        world.abort(2);
    }
    pin(world.rank());
}
