// SPDX-License-Identifier: Apache-2.0
// What the thesis reports, against what is counted on the network, calculated by hand, or computed without
// the model.
#include <cmath>
#include <gtest/gtest.h>

#include "tile/study/experiments.hpp"

namespace lisle::tile::study {
namespace {

// ---- overhead ----

/// The share of rMPI's headers in what arrives at a port, in percent.
double header_share(rmpi::version with, std::size_t words) {
    tile_array array{parameters{}};
    EXPECT_FALSE(rmpi::run_ranks(array, {3, 7}, with, [&](rmpi::endpoint &self) {
        std::vector<word> data(words);
        if (self.rank() == 0) {
            self.send(1, 0, 0, data);
        } else {
            self.receive(0, 0, 0, data);
        }
    }));
    const auto arrived = static_cast<double>(array.model().network().port(7).words_received);
    return 100 * (arrived - static_cast<double>(words)) / arrived;
}

TEST(TileThesis, HeadersOfLongMessagesAreTheShareThatItStates) {
    EXPECT_NEAR(header_share(rmpi::version::v3, 100'000), 3.2, 0.1);
    // By hand: 2 and 3 words of 31.
    EXPECT_NEAR(header_share(rmpi::version::v1, 100'000), 100.0 * 2 / 31, 0.1);
    EXPECT_NEAR(header_share(rmpi::version::v2, 100'000), 100.0 * 3 / 31, 0.1);
    EXPECT_GT(header_share(rmpi::version::v3, 10), 25) << "4 words of 14";
}

TEST(TileThesis, ExhaustivelyHeadersOfTheLongestMessage) {
    EXPECT_NEAR(header_share(rmpi::version::v3, 10'000'000), 3.2, 0.1);
}

TEST(TileThesis, TheOverheadIsNearlyConstantAndTheGapNarrowsFromTenWordsOn) {
    const auto over = [](std::size_t words) {
        return message_cycles({}, words) - bare_packets_cycles({}, words);
    };
    EXPECT_LT(over(10), 2 * over(1)) << "constant while one packet is enough";
    const auto ratio = [](std::size_t words) {
        return static_cast<double>(message_cycles({}, words)) /
               static_cast<double>(bare_packets_cycles({}, words));
    };
    EXPECT_GT(ratio(10) / ratio(100), 2) << "the gap narrows most between 10 and 100 words";
    EXPECT_LT(ratio(100'000), 1.1);
}

// ---- growth with the length ----

double exponent(const std::vector<double> &words, const std::function<cycle(std::size_t)> &cycles) {
    std::vector<double> took;
    for (const double each : words) {
        took.push_back(static_cast<double>(cycles(static_cast<std::size_t>(each))));
    }
    return fitted_exponent(words, took);
}

TEST(TileThesis, APingPongIsFlatForAFewWordsAndThenLinearNotQuadratic) {
    const auto ping_pong = [](std::size_t words) { return ping_pong_cycles({}, words); };
    EXPECT_LT(exponent({1, 3, 10}, ping_pong), 0.2);
    const double slope = exponent({1000, 10'000, 100'000}, ping_pong);
    EXPECT_GT(slope, 0.9);
    EXPECT_LT(slope, 1.05);
}

TEST(TileThesis, CollectivesGrowWithTheirLengthLinearly) {
    for (const collective each : {collective::broadcast, collective::scatter, collective::gather,
                                  collective::reduce, collective::allgather, collective::allreduce}) {
        const auto cycles = [&](std::size_t words) {
            return collective_cycles({}, each, rmpi::algorithm::as_rmpi, 16, words);
        };
        EXPECT_LT(exponent({1, 3, 10}, cycles), 0.5) << static_cast<int>(each);
        const double slope = exponent({1000, 4000}, cycles);
        EXPECT_GT(slope, 0.9) << static_cast<int>(each);
        EXPECT_LT(slope, 1.1) << static_cast<int>(each);
    }
}

// ---- the four programs ----

/// Answers that loops without ranks give.
std::vector<std::vector<float>> answers(const application_sizes &sizes) {
    std::vector<std::vector<float>> all;
    long double area = 0;
    for (int i = 0; i < sizes.trapezoids; ++i) {
        const long double width = 1048576.0L / sizes.trapezoids;
        for (const long double x : {i * width, (i + 1) * width}) {
            area += width / 2 *
                    ((13 + x * (11 + x * (7 + 3 * x))) / (19 + x * (17 + x * (5 + x))) +
                     (23 + 2 * x * x) / (31 + x * (29 + x * x)));
        }
    }
    all.push_back({static_cast<float>(area)});
    all.push_back({static_cast<float>(std::acos(-1.0))});

    const auto side = static_cast<std::size_t>(sizes.grid);
    std::vector<float> plate(side * side);
    for (std::size_t row = 0; row < side; ++row) {
        for (std::size_t column = 0; column < side; ++column) {
            const bool hot = row == 0 || (column == 0 && row < side / 2);
            plate[row * side + column] = hot ? 100 : static_cast<float>((row * 31 + column * 17) % 11);
        }
    }
    for (int step = 0; step < sizes.grid_steps; ++step) {
        const std::vector<float> before = plate;
        for (std::size_t row = 1; row + 1 < side; ++row) {
            for (std::size_t i = row * side + 1; i < row * side + side - 1; ++i) {
                plate[i] = (before[i - side] + before[i + side] + before[i - 1] + before[i + 1]) / 4;
            }
        }
    }
    all.push_back(plate);

    std::vector<float> product;
    for (int i = 0; i < sizes.product_rows; ++i) {
        for (int j = 0; j < sizes.product_columns; ++j) {
            int sum = 0;
            for (int k = 0; k < sizes.product_inner; ++k) {
                sum += ((i * sizes.product_inner + k) * 3 % 7 - 3) *
                       ((k * sizes.product_columns + j) * 5 % 7 - 3);
            }
            product.push_back(static_cast<float>(sum));
        }
    }
    all.push_back(product);
    return all;
}

TEST(TileThesis, FourProgramsGiveTheAnswersOfPlainLoopsOnSixteenTiles) {
    const application_sizes small{300, 500, 40, 5, 12, 8, 6};
    const std::vector<std::vector<float>> expected = answers(small);
    const std::vector<application_maker> makers = applications(small);
    for (std::size_t which = 0; which < makers.size(); ++which) {
        const std::unique_ptr<application> program = makers[which]();
        tile_array array{parameters{}};
        const set_up with;
        EXPECT_FALSE(rmpi::run_ranks(array, with.tiles_for(16), with.with,
                                     [&](rmpi::endpoint &self) { program->run(self); }));
        ASSERT_EQ(program->answer().size(), expected[which].size()) << program->name();
        for (std::size_t i = 0; i < expected[which].size(); ++i) {
            ASSERT_NEAR(program->answer()[i], expected[which][i], 1e-5 * std::abs(expected[which][i]))
                << program->name() << ' ' << i;
        }
    }
}

TEST(TileThesis, NoProgramIsFasterThanItsComputingOrSlowerThanWithoutContention) {
    const application_sizes small{4096, 4096, 64, 2, 32, 16, 16};
    for (const application_maker &make : applications(small)) {
        set_up free;
        free.built.contention = 0;
        const application_speed contended = measure({}, make, {1, 2, 16});
        const application_speed alone = measure(free, make, {1, 2, 16});
        EXPECT_EQ(contended.runs[0].cycles, alone.runs[0].cycles) << contended.name << " sends nothing";
        EXPECT_GE(contended.runs[2].cycles, alone.runs[2].cycles) << contended.name;
        EXPECT_LT(alone.speed_up(2), 16) << contended.name;
        if (contended.name == "matrix product") {
            EXPECT_LT(contended.speed_up(1), 1) << "the first of two tiles only distributes";
            EXPECT_LT(alone.speed_up(2), 15);
        }
    }
}

// ---- rows and squares ----

double ratio(cycle a, cycle b) {
    return static_cast<double>(a) / static_cast<double>(b);
}

/// Words times links when each of four ranks sends each other one so many words.
std::int64_t words_over_links(bool compact, std::size_t words) {
    set_up with;
    with.compact_map = compact;
    tile_array array{with.built};
    EXPECT_FALSE(rmpi::run_ranks(array, with.tiles_for(4), with.with, [&](rmpi::endpoint &self) {
        std::vector<word> data(words);
        for (int other = 0; other < 4; ++other) {
            if (other != self.rank()) {
                self.send(other, 0, 0, data);
            }
        }
        for (int other = 0; other < 4; ++other) {
            if (other != self.rank()) {
                self.receive(other, 0, 0, data);
            }
        }
    }));
    std::int64_t all = 0;
    for (const link_traffic &each : array.model().network().links()) {
        all += each.words;
    }
    return all;
}

TEST(TileThesis, FourRanksOnASquareAreNearerThanInARow) {
    EXPECT_EQ(set_up{}.tiles_for(4), (rmpi::rank_map{0, 1, 2, 3}));
    const set_up compact{.built = {}, .with = rmpi::version::v3, .compact_map = true};
    EXPECT_EQ(compact.tiles_for(4), (rmpi::rank_map{0, 1, 4, 5}))
        << "the tiles that the thesis would rather have";
    // By hand: 3 x 1, 2 x 2 and 1 x 3 links between pairs of a row, 4 x 1 and 2 x 2 of a square.
    EXPECT_EQ(words_over_links(false, 100) * 8, words_over_links(true, 100) * 10);
    for (const collective each : {collective::allgather, collective::allreduce}) {
        const auto cycles = [&](const set_up &with) {
            return collective_cycles(with, each, rmpi::algorithm::as_rmpi, 4, 1000);
        };
        // The thesis expected a gain; both are here, and the way is not where the time goes.
        EXPECT_NEAR(ratio(cycles(compact), cycles({})), 1, 0.05) << static_cast<int>(each);
    }
}

} // namespace
} // namespace lisle::tile::study
