// SPDX-License-Identifier: Apache-2.0
// Regridding by random sparse matrices, against the whole matrix: the same to the last bit, wherever its rows
// and the points lie.
//
// Usage: regridded [CASES [SEED]]
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/regridding.hpp"

namespace {

namespace couple = lisle::couple;
using couple::decomposition;
using couple::global_index;
using couple::weight;

using random_source = std::mt19937_64;
std::int64_t below(random_source &random, std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

double value_of(std::int64_t level, global_index point) {
    return static_cast<double>((point * 37 + level * 11) % 101) / 7;
}

/// A matrix of `rows` rows, as all ranks draw it: entries by row, in ascending order of their sources.
using matrix = std::vector<std::vector<weight>>;

matrix draw(random_source &random, std::int64_t rows, std::int64_t columns) {
    matrix all(static_cast<std::size_t>(rows));
    for (auto &row : all) {
        for (std::int64_t left = below(random, 6); left != 0; --left)
            row.push_back({0, below(random, columns), static_cast<double>(below(random, 1000)) / 999});
        std::ranges::stable_sort(row, {}, &weight::source);
    }
    return all;
}

/// Deals out so many numbers.
std::vector<std::vector<global_index>> deal(random_source &random, std::int64_t numbers, int ranks) {
    std::vector<std::vector<global_index>> all(static_cast<std::size_t>(ranks));
    for (global_index at = 0; at != numbers; ++at)
        all[static_cast<std::size_t>(below(random, ranks))].push_back(at);
    return all;
}

void check_case(const lisle::communicator &world, random_source &random) {
    const std::int64_t rows = 1 + below(random, 200), columns = 1 + below(random, 200),
                       levels = 1 + below(random, 3);
    const matrix all = draw(random, rows, columns);
    const auto own = static_cast<std::size_t>(world.rank());
    const auto points = deal(random, columns, world.size())[own],
               places = deal(random, rows, world.size())[own];
    std::vector<weight> mine;
    for (std::size_t place = 0; place != places.size(); ++place)
        for (const weight &each : all[static_cast<std::size_t>(places[place])])
            mine.push_back({static_cast<std::int64_t>(place), each.source, each.factor});

    const auto count = static_cast<std::int64_t>(places.size());
    const couple::regridding regrid{world.native(), decomposition::list(columns, points), count, mine};
    std::vector<double> from, to(static_cast<std::size_t>(count * levels), -1);
    for (std::int64_t level = 0; level != levels; ++level)
        for (const global_index point : points)
            from.push_back(value_of(level, point));
    regrid(from, to, levels);
    for (std::int64_t level = 0; level != levels; ++level)
        for (std::size_t place = 0; place != places.size(); ++place) {
            const auto &row = all[static_cast<std::size_t>(places[place])];
            double sum = row.empty() ? -1 : 0;
            for (const weight &each : row)
                sum += each.factor * value_of(level, each.source);
            CHECK_EQ(to[static_cast<std::size_t>(level * count) + place], sum);
        }
}

/// The sentence of the error that all ranks throw.
std::string refusal(const lisle::communicator &world, std::int64_t offered,
                    const std::vector<weight> &weights) {
    const std::vector<global_index> points =
        world.rank() == 0 ? std::vector<global_index>{0, 1, 2} : std::vector<global_index>{};
    try {
        const couple::regridding regrid{world.native(), decomposition::list(offered, points), 2, weights};
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

void check_refusals(const lisle::communicator &world) {
    const int last = world.size() - 1;
    const std::string by = " (rank " + std::to_string(last) + ")";
    const auto of_last = [&](const weight &wrong) {
        return refusal(world, 5,
                       world.rank() == last ? std::vector{weight{0, 1, 1.0}, wrong} : std::vector<weight>{});
    };
    CHECK_EQ(of_last({2, 0, 1.0}), "couple: a weight is for place 2 of 2" + by);
    CHECK_EQ(of_last({0, 5, 1.0}), "couple: a weight is of point 5 of a grid of 5" + by);
    CHECK_EQ(of_last({0, 4, 1.0}), "couple: 1 of the points that weights name are offered by nobody" + by);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int cases = argc > 1 ? std::atoi(argv[1]) : 40;
    random_source random{argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1};
    const lisle::communicator world = lisle::world();
    check_refusals(world);
    for (int number = 0; number != cases; ++number)
        check_case(world, random);
}
