// SPDX-License-Identifier: Apache-2.0
// What kernels may have as parameters and results: each type goes to a kernel and back, and into bytes and
// back, as it does between ranks.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "lisle/task/expression.hpp"
#include "machine.hpp"

namespace {

using namespace test;

struct body { // has no operator ==
    double x, y;
};

/// Returns what it gets.
template <class T> T same(const T &given) {
    return given;
}

template <class T> T through_bytes(const T &given) {
    tasks::encoder out;
    tasks::codec<T>::write(given, out);
    const std::vector<std::byte> bytes = out.take();
    EXPECT_LE(tasks::codec<T>::size(given), bytes.size() + 8);
    tasks::decoder in{bytes};
    T read = tasks::codec<T>::read(in);
    EXPECT_EQ(in.left(), 0U);
    return read;
}

template <class T> T through_a_kernel(const T &given) {
    tasks::registry kernels;
    const auto call = kernels.add("keep.same", &same<T>);
    tasks::machine machine{kernels, {.tiles = 2}};
    return tasks::from_value<T>(tasks::to_value(machine.evaluate(call(given))));
}

template <class T> void expect_kept(const T &given) {
    EXPECT_EQ(through_bytes(given), given);
    EXPECT_EQ(through_a_kernel(given), given);
}

TEST(parameters, letters_and_numbers) {
    expect_kept('x');
    expect_kept(static_cast<unsigned char>(200));
    expect_kept(u'\u20ac');
    expect_kept(std::complex<double>{1, -2});
    expect_kept(std::vector<char>{'a', 'b'});
    expect_kept(std::vector<std::complex<float>>{{1, 2}, {3, 4}});
    expect_kept(std::vector<bool>{true, false, true});
}

TEST(parameters, containers) {
    expect_kept(std::map<std::string, int>{{"one", 1}, {"two", 2}});
    expect_kept(std::unordered_map<int, std::vector<double>>{{1, {1.5}}, {2, {}}});
    expect_kept(std::set<int>{3, 1, 2});
    expect_kept(std::deque<std::string>{"a", "", "b"});
    expect_kept(std::array<std::optional<int>, 2>{std::nullopt, 4});
    expect_kept(std::pair<std::string, std::vector<int>>{"x", {1, 2}});
    expect_kept(std::map<int, std::map<int, char>>{{1, {{2, 'y'}}}});
}

TEST(parameters, aggregates_that_cannot_be_compared) {
    EXPECT_EQ(through_a_kernel(std::vector<body>{{1, 2}, {3, 4}}).at(1).y, 4);
    EXPECT_EQ((through_a_kernel(std::array<body, 2>{body{1, 2}, body{3, 4}})[0].x), 1);
    EXPECT_EQ((through_a_kernel(std::pair<int, body>{7, {3, 4}}).second.y), 4);
    EXPECT_EQ((through_a_kernel(std::optional<body>{body{5, 6}})->x), 5);
    EXPECT_EQ((through_a_kernel(std::map<int, body>{{1, {8, 9}}}).at(1).y), 9);
}

double sum(std::span<const double> all) {
    return std::accumulate(all.begin(), all.end(), 0.0);
}
double sum_of_doubled(std::span<double> own) {
    for (double &each : own) {
        each *= 2;
    }
    return sum(own);
}

TEST(parameters, spans_look_at_vectors) {
    tasks::registry kernels;
    const auto plain = kernels.add("span.sum", &sum);
    const auto doubled = kernels.add("span.doubled", &sum_of_doubled);
    const auto kept = kernels.add("span.kept", &same<std::vector<double>>);
    tasks::machine machine{kernels, {.tiles = 2}};
    const std::vector<double> all{1, 2, 3.5};
    EXPECT_EQ(machine.evaluate(plain(all)), 6.5);
    // What a kernel changes is its own.
    EXPECT_EQ(
        machine.evaluate(tasks::let(kept(all), [&](auto shared) { return doubled(shared) + plain(shared); })),
        19.5);
    EXPECT_EQ(outcome(machine, "(span.sum (list 1 2 3))"), "6.0");
}

TEST(parameters, letters_out_of_range_are_refused) {
    tasks::registry kernels;
    kernels.add("keep.letter", &same<char>);
    tasks::machine machine{kernels, {}};
    EXPECT_EQ(
        outcome(machine, "(keep.letter 1000)"),
        "error: program:1:1: an integer from -128 to 127 is wanted, not an integer (1000) (keep.letter, "
        "tile 0 of rank 0)");
}

} // namespace
