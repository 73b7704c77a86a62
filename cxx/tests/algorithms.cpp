// SPDX-License-Identifier: Apache-2.0
// What stands on top of collectives and messages: sorting, exchanges over a grid, pools of workers. Inputs of
// many shapes: empty ranks, equal elements, all at one rank.
#include <lisle/grid_exchange.hpp>
#include <lisle/lisle.hpp>
#include <lisle/pool.hpp>
#include <lisle/sort.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();

std::minstd_rand numbers_of(int test) {
    return std::minstd_rand{static_cast<unsigned>(1000 * test + world.rank() + 1)};
}

// ---- sorting ----

/// How many elements a rank has in each shape.
std::size_t amount(int shape, int rank) {
    switch (shape) {
    case 0:
        return 200;
    case 1: // more and more
        return 50 * static_cast<std::size_t>(rank);
    case 2: // every other rank has none
        return rank % 2 == 0 ? 0 : 301;
    case 3: // all at the last one
        return rank == world.size() - 1 ? 1000 : 0;
    case 4:
        return 0;
    default: // fewer than ranks, nearly
        return rank < 2 ? 1 : 0;
    }
}

struct item {
    int key;
    int rank;
    int place;
    friend bool operator==(const item &, const item &) = default;
};

/// What a sort of all elements in one place gives this rank.
template <class T, class Before> std::vector<T> sorted_elsewhere(const std::vector<T> &mine, Before before) {
    auto [all, counts] = world.allgatherv(mine);
    std::stable_sort(all.begin(), all.end(), before);
    const auto begin =
        all.begin() + std::accumulate(counts.begin(), counts.begin() + world.rank(), std::ptrdiff_t{0});
    return {begin, begin + static_cast<std::ptrdiff_t>(mine.size())};
}

void sorted_numbers() {
    for (int shape = 0; shape < 6; ++shape) {
        for (const std::uint32_t different : {4000000000u, 1000u, 3u, 1u}) {
            auto random = numbers_of(shape);
            std::vector<double> mine(amount(shape, world.rank()));
            std::generate(mine.begin(), mine.end(),
                          [&] { return static_cast<double>(random() % different); });
            const auto right = sorted_elsewhere(mine, std::less<>{});
            lisle::sort(world, mine);
            CHECK(mine == right);
            const auto falling = sorted_elsewhere(mine, std::greater<>{});
            lisle::sort(world, mine, std::greater<>{});
            CHECK(mine == falling);
        }
    }
}

void equal_elements_keep_their_order() {
    for (int shape = 0; shape < 6; ++shape) {
        auto random = numbers_of(shape);
        std::vector<item> mine;
        for (std::size_t i = 0; i < amount(shape, world.rank()); ++i)
            mine.push_back({static_cast<int>(random() % 5), world.rank(), static_cast<int>(i)});
        const auto right = sorted_elsewhere(mine, [](const item &a, const item &b) { return a.key > b.key; });
        lisle::sort(world, mine, std::greater<>{}, &item::key);
        CHECK(mine == right);
    }
}

// ---- exchanges over a grid ----

void grids() {
    const auto rank = static_cast<std::size_t>(world.rank());
    const auto size = static_cast<std::size_t>(world.size());
    const lisle::grid_exchange square{world};
    const lisle::grid_exchange by_node{world, lisle::hardware::memory};
    CHECK(square.rows() * square.columns() <= world.size() && square.columns() <= square.rows() + 1);
    CHECK(by_node.rows() >= 1 && by_node.rows() * by_node.columns() <= world.size());
    for (int shape = 0; shape < 4; ++shape) {
        std::vector<int> counts;
        std::vector<item> pieces;
        for (std::size_t other = 0; other < size; ++other) {
            const std::size_t length = shape == 0   ? 1
                                       : shape == 1 ? (rank * 3 + other * 7) % 11
                                       : shape == 2 ? (other == 0 ? 40 + rank : 0)
                                                    : 0;
            counts.push_back(static_cast<int>(length));
            for (std::size_t i = 0; i < length; ++i)
                pieces.push_back({static_cast<int>(other), world.rank(), static_cast<int>(i)});
        }
        const auto right = world.alltoallv(pieces, counts);
        for (const lisle::grid_exchange *grid : {&square, &by_node}) {
            const auto got = grid->alltoallv(pieces, counts);
            CHECK(got.data == right.data && got.counts == right.counts);
        }
    }
    bool refused = false;
    try {
        static_cast<void>(square.alltoallv(std::vector<int>(size), std::vector<int>(size + 1)));
    } catch (const lisle::error &e) {
        refused = e.error_class() == MPI_ERR_COUNT;
    }
    CHECK(refused);
}

// ---- pools ----

std::string repeated(int times) {
    if (times < 0)
        throw std::invalid_argument("a text cannot be repeated " + std::to_string(times) + " times");
    return std::string(static_cast<std::size_t>(times), 'x');
}

bool throws_with(auto &&what, const std::string &text) {
    try {
        what();
    } catch (const lisle::error &e) {
        return std::string{e.what()}.find(text) != std::string::npos;
    }
    return false;
}

void texts_of_a_pool() {
    if (world.rank() != 0)
        return lisle::serve<int>(world, &repeated);
    lisle::pool<int, std::string> pool{world, &repeated};
    CHECK_EQ(pool.size(), world.size() - 1);
    std::vector<int> lengths(200);
    std::iota(lengths.begin(), lengths.end(), 0);
    lengths[7] = 300000; // longer than what a send need not wait for
    lengths[8] = 300001;
    const std::vector<std::string> texts = pool.map(lengths);
    CHECK_EQ(texts.size(), lengths.size());
    for (std::size_t i = 0; i < texts.size(); ++i)
        CHECK_EQ(texts[i].size(), static_cast<std::size_t>(lengths[i]));
    // One by one, in another order than they were handed in.
    auto bad = pool.submit(-3);
    auto first = pool.submit(1);
    auto second = pool.submit(2);
    CHECK_EQ(second.get(), "xx");
    CHECK_EQ(first.get(), "x");
    while (!bad.ready()) {
    }
    CHECK(throws_with([&] { static_cast<void>(bad.get()); }, "cannot be repeated -3 times"));
    CHECK(throws_with([&] { static_cast<void>(pool.map(std::vector{1, -5, 2})); }, "repeated -5 times"));
    CHECK_EQ(pool.map(std::vector<int>{}).size(), std::size_t{0});
}

void large_tasks() {
    int done = 0;
    const auto work = [&](const std::vector<double> &values) {
        ++done;
        std::vector<double> twice = values;
        for (double &each : twice)
            each *= 2;
        return twice;
    };
    if (world.rank() != 0) {
        lisle::serve<std::vector<double>>(world, work);
    } else {
        lisle::pool<std::vector<double>, std::vector<double>> pool{world, work};
        const std::vector<std::vector<double>> tasks(24, std::vector<double>(100000, 1.5));
        for (const std::vector<double> &each : pool.map(tasks))
            CHECK(each == std::vector<double>(100000, 3));
    }
    CHECK_EQ(world.allreduce(done, std::plus<>{}), 24);
}

void work_without_results() {
    int sum = 0;
    const auto work = [&](int number) { sum += number; };
    if (world.rank() != 0) {
        lisle::serve<int>(world, work);
    } else {
        // What nobody asks for is done, too, before the pool ends.
        lisle::pool<int, void> pool{world, work};
        for (int number = 1; number <= 50; ++number)
            static_cast<void>(pool.submit(number));
    }
    CHECK_EQ(world.allreduce(sum, std::plus<>{}), 50 * 51 / 2);
}

/// An exception at the manager: tasks that no worker has begun are dropped, and the workers return.
void left_by_an_exception() {
    int done = 0;
    const auto work = [&](int) { ++done; };
    bool caught = false;
    if (world.rank() != 0) {
        lisle::serve<int>(world, work);
    } else {
        try {
            lisle::pool<int, void> pool{world, work};
            for (int i = 0; i < 1000; ++i)
                static_cast<void>(pool.submit(i));
            throw std::runtime_error("enough");
        } catch (const std::runtime_error &) {
            caught = true;
        }
    }
    CHECK_EQ(caught, world.rank() == 0);
    CHECK(world.allreduce(done, std::plus<>{}) <= 2 * (world.size() - 1));
}

} // namespace

int main() {
    const lisle::environment mpi;
    sorted_numbers();
    equal_elements_keep_their_order();
    grids();
    texts_of_a_pool();
    large_tasks();
    work_without_results();
    left_by_an_exception();
}
