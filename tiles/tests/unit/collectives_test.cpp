// SPDX-License-Identifier: Apache-2.0
// Collectives on the model: results against plain loops, numbers of messages, and which algorithm is faster.
#include "tile/rmpi/collectives.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>

namespace lisle::tile::rmpi {
namespace {

constexpr algorithm algorithms[] = {algorithm::as_rmpi, algorithm::linear, algorithm::logarithmic,
                                    algorithm::mesh};

word add(word a, word b) {
    return a + b;
}

std::vector<word> data_of(int rank, std::size_t words) {
    std::vector<word> made(words);
    std::iota(made.begin(), made.end(), static_cast<word>(rank * 1000));
    return made;
}
std::vector<word> sum_of_all(int ranks, std::size_t words) {
    std::vector<word> sum(words);
    for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<word> one = data_of(rank, words);
        std::transform(sum.begin(), sum.end(), one.begin(), sum.begin(), add);
    }
    return sum;
}

void check_collectives(endpoint &self, algorithm with, int root, std::size_t words) {
    const std::vector<word> mine = data_of(self.rank(), words);
    const auto size = static_cast<std::size_t>(self.size());
    std::vector<word> all_of_all;
    for (int rank = 0; rank < self.size(); ++rank) {
        const std::vector<word> one = data_of(rank, words);
        all_of_all.insert(all_of_all.end(), one.begin(), one.end());
    }

    std::vector<word> data = self.rank() == root ? mine : std::vector<word>(words);
    broadcast(self, with, root, data);
    EXPECT_EQ(data, data_of(root, words));

    std::vector<word> sum(words);
    reduce(self, with, root, mine, sum, add);
    if (self.rank() == root) {
        EXPECT_EQ(sum, sum_of_all(self.size(), words));
    }
    allreduce(self, with, mine, sum, add);
    EXPECT_EQ(sum, sum_of_all(self.size(), words));

    std::vector<word> all(size * words);
    gather(self, root, mine, all);
    if (self.rank() == root) {
        EXPECT_EQ(all, all_of_all);
    }
    std::vector<word> part(words);
    scatter(self, root, all_of_all, part);
    EXPECT_EQ(part, mine);
    std::fill(all.begin(), all.end(), 0);
    allgather(self, with, mine, all);
    EXPECT_EQ(all, all_of_all);
    barrier(self);
}

TEST(RmpiCollectives, AllSizesRootsAndAlgorithmsGiveTheRightData) {
    parameters built;
    built.width = 5; // so that 17 ranks fit, in rows that are not full
    for (int ranks = 1; ranks <= 17; ++ranks) {
        tile_array array{built};
        const rank_map tiles = ranks % 2 == 0 ? map_compactly(array.model().shape(), ranks)
                                              : map_in_rows(array.model().shape(), ranks);
        const auto stopped = run_ranks(array, tiles, version::v3, [&](endpoint &self) {
            for (const algorithm with : algorithms) {
                for (int root = 0; root < ranks; ++root) {
                    check_collectives(self, with, root, root % 3 == 0 ? 40 : 1);
                }
            }
        });
        ASSERT_FALSE(stopped) << describe(*stopped);
    }
}

TEST(RmpiCollectives, VersionsOneAndTwoHaveThemToo) {
    for (const version with : {version::v1, version::v2}) {
        tile_array array{parameters{}};
        const auto stopped =
            run_ranks(array, map_in_rows(array.model().shape(), 7), with,
                      [](endpoint &self) { check_collectives(self, algorithm::as_rmpi, 2, 50); });
        ASSERT_FALSE(stopped) << describe(*stopped);
    }
}

TEST(RmpiCollectives, BroadcastIsLinearUpToFourRanks) {
    const auto sent_by_root = [](int ranks) {
        tile_array array{parameters{}};
        EXPECT_FALSE(
            run_ranks(array, map_in_rows(array.model().shape(), ranks), version::v3, [](endpoint &self) {
                word one = 1;
                broadcast(self, algorithm::as_rmpi, 0, {&one, 1});
            }));
        return array.model().network().port(0).packets_sent;
    };
    EXPECT_EQ(sent_by_root(4), 3);
    EXPECT_EQ(sent_by_root(5), 3); // ceil(log2(5))
    EXPECT_EQ(sent_by_root(16), 4);
}

enum class kind { broadcast, allreduce };
cycle cycles_of(kind which, algorithm with, std::size_t words, const parameters &built = {}) {
    tile_array array{built};
    EXPECT_FALSE(
        run_ranks(array, map_in_rows(array.model().shape(), built.tiles()), version::v3, [&](endpoint &self) {
            std::vector<word> data(words, 1);
            std::vector<word> result(words);
            if (which == kind::broadcast) {
                broadcast(self, with, 6, data);
            } else {
                allreduce(self, with, data, result, add);
                EXPECT_EQ(result.back(), static_cast<word>(self.size()));
            }
        }));
    return array.model().now();
}

TEST(RmpiCollectives, LogarithmicBroadcastOfLongDataIsThreePointTwoTimesFaster) {
    const double ratio = static_cast<double>(cycles_of(kind::broadcast, algorithm::linear, 10'000)) /
                         static_cast<double>(cycles_of(kind::broadcast, algorithm::logarithmic, 10'000));
    EXPECT_GT(ratio, 3.2 * 0.8);
    EXPECT_LT(ratio, 3.2 * 1.2);
}

TEST(RmpiCollectives, MeshCollectivesBeatLogarithmicOnesFromAKilobyteUp) {
    for (const kind which : {kind::broadcast, kind::allreduce}) {
        for (const std::size_t words : {256U, 1024U, 10'000U}) {
            EXPECT_LT(cycles_of(which, algorithm::mesh, words),
                      cycles_of(which, algorithm::logarithmic, words))
                << words << " words";
        }
    }
}

TEST(RmpiCollectives, TwoRunsTakeTheSameCycles) {
    EXPECT_EQ(cycles_of(kind::allreduce, algorithm::as_rmpi, 300),
              cycles_of(kind::allreduce, algorithm::as_rmpi, 300));
}

TEST(RmpiCollectives, ExhaustivelyFourThousandTilesReduceAKilobyte) {
    parameters large;
    large.width = large.height = 64;
    const cycle logarithmic = cycles_of(kind::allreduce, algorithm::logarithmic, 256, large);
    EXPECT_EQ(cycles_of(kind::allreduce, algorithm::logarithmic, 256, large), logarithmic);
    EXPECT_LT(cycles_of(kind::allreduce, algorithm::mesh, 256, large), logarithmic);
}

} // namespace
} // namespace lisle::tile::rmpi
