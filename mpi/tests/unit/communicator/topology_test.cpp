// SPDX-License-Identifier: Apache-2.0
// Topologies as pure computation: coordinates against counting, shifts against walking step by step,
// balanced dimensions against all factorings, placements as what they are (every rank once, never worse
// than the given order, tiles where tiles fit).
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "communicator/topology_placement.hpp"
#include "mpi.h"

namespace {

using namespace lisle;
using list = std::vector<int>;

class topologies : public testing::Test {
  protected:
    int draw(int least, int most) { return std::uniform_int_distribution{least, most}(random_); }

    cartesian draw_grid() {
        cartesian grid;
        for (int i = draw(0, 4); i > 0; --i) {
            grid.dims.push_back(draw(1, 5));
            grid.periods.push_back(draw(0, 1) == 1);
        }
        return grid;
    }

    std::mt19937 random_{2024};
};

/// The place that a counter reaches whose last digit runs fastest.
bool next_place(list &place, const list &dims) {
    for (std::size_t i = dims.size(); i-- > 0;) {
        if (++place[i] < dims[i]) {
            return true;
        }
        place[i] = 0;
    }
    return false;
}

TEST_F(topologies, number_their_places_in_row_major_order) {
    for (int round = 0; round < 300; ++round) {
        const cartesian grid = draw_grid();
        list place(grid.dims.size());
        int rank = 0;
        do {
            EXPECT_EQ(grid.coordinates(rank), place);
            EXPECT_EQ(grid.rank_at(place), rank);
            ++rank;
        } while (next_place(place, grid.dims));
        EXPECT_EQ(rank, grid.size());
    }
}

/// One step along a dimension, by hand.
int step(const cartesian &grid, int rank, int dimension, int direction) {
    list place = grid.coordinates(rank);
    const auto which = static_cast<std::size_t>(dimension);
    place[which] += direction;
    if (place[which] < 0 || place[which] == grid.dims[which]) {
        if (!grid.periods[which]) {
            return MPI_PROC_NULL;
        }
        place[which] = place[which] < 0 ? grid.dims[which] - 1 : 0;
    }
    return grid.rank_at(place);
}

TEST_F(topologies, shift_as_far_as_walking_leads) {
    for (int round = 0; round < 300; ++round) {
        const cartesian grid = draw_grid();
        if (grid.dims.empty()) {
            continue;
        }
        const int rank = draw(0, grid.size() - 1);
        const int dimension = draw(0, grid.dimensions() - 1);
        const int displacement = draw(-12, 12);
        int expected = rank;
        for (int i = 0; i < std::abs(displacement) && expected >= 0; ++i) {
            expected = step(grid, expected, dimension, displacement < 0 ? -1 : 1);
        }
        EXPECT_EQ(grid.neighbour(rank, dimension, displacement), expected);
    }
}

TEST_F(topologies, join_the_ends_of_periodic_dimensions_only) {
    const cartesian grid{{3, 4}, {true, false}};
    EXPECT_EQ(grid.rank_at(list{-4, 1}), grid.rank_at(list{2, 1}));
    EXPECT_EQ(grid.rank_at(list{7, 1}), grid.rank_at(list{1, 1}));
    EXPECT_THROW((void)grid.rank_at(list{0, 4}), mpi_error);
    EXPECT_THROW((void)grid.rank_at(list{0, -1}), mpi_error);
}

TEST_F(topologies, match_messages_of_every_edge) {
    for (int round = 0; round < 60; ++round) {
        const cartesian grid = draw_grid();
        // What rank a sends along its k-th edge to b must meet the receive of b for the opposite edge.
        for (int from = 0; from < grid.size(); ++from) {
            for (int to = 0; to < grid.size(); ++to) {
                const auto sender = neighbourhood_of(grid, from);
                const auto receiver = neighbourhood_of(grid, to);
                list sent;
                for (std::size_t k = 0; k < sender.destinations.size(); ++k) {
                    if (sender.destinations[k] == to) {
                        sent.push_back(static_cast<int>(k));
                    }
                }
                list received;
                for (const int k : receiver.matching) {
                    if (receiver.sources[static_cast<std::size_t>(k)] == from) {
                        received.push_back(k);
                    }
                }
                ASSERT_EQ(sent.size(), received.size());
                for (std::size_t i = 0; i < sent.size(); ++i) {
                    EXPECT_EQ(sent[i] ^ 1, received[i]);
                }
            }
        }
    }
}

/// The least difference between the largest and the smallest factor, by trying everything.
int least_difference(int number, int factors, int largest, int smallest) {
    if (factors == 0) {
        return number == 1 ? largest - smallest : std::numeric_limits<int>::max();
    }
    int least = std::numeric_limits<int>::max();
    for (int factor = 1; factor <= number; ++factor) {
        if (number % factor == 0) {
            least = std::min(least, least_difference(number / factor, factors - 1, std::max(largest, factor),
                                                     std::min(smallest, factor)));
        }
    }
    return least;
}

TEST_F(topologies, balance_dimensions_as_well_as_trying_everything) {
    for (int nodes = 1; nodes <= 150; ++nodes) {
        for (int count = 1; count <= 3; ++count) {
            list dims(static_cast<std::size_t>(count));
            balance_dimensions(nodes, dims);
            EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies{}), nodes);
            EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend()));
            EXPECT_EQ(dims.front() - dims.back(), least_difference(nodes, count, 1, nodes)) << nodes;
        }
    }
}

TEST_F(topologies, keep_the_dimensions_that_are_given) {
    list dims{0, 3, 0};
    balance_dimensions(36, dims);
    EXPECT_EQ(dims, (list{4, 3, 3}));
    list fixed{2, 3};
    EXPECT_NO_THROW(balance_dimensions(6, fixed));
    EXPECT_THROW(balance_dimensions(7, fixed), mpi_error);
    list odd{5, 0};
    EXPECT_THROW(balance_dimensions(12, odd), mpi_error);
    list negative{-1, 0};
    EXPECT_THROW(balance_dimensions(12, negative), mpi_error);
    // Large numbers with many divisors do not take forever.
    list many(6);
    balance_dimensions(735134400, many);
    EXPECT_EQ(std::accumulate(many.begin(), many.end(), 1, std::multiplies{}), 735134400);
    list prime(3);
    balance_dimensions(2147483647, prime);
    EXPECT_EQ(prime, (list{2147483647, 1, 1}));
}

void expect_permutation(list order) {
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
        ASSERT_EQ(order[i], static_cast<int>(i));
    }
}

TEST_F(topologies, place_every_rank_once_and_never_worse) {
    for (int round = 0; round < 200; ++round) {
        const cartesian grid = draw_grid();
        std::vector<dwelling> home(static_cast<std::size_t>(grid.size()));
        const int homes = draw(1, 5);
        const int nodes = draw(1, 3);
        std::generate(home.begin(), home.end(), [&] {
            const int process = draw(0, homes - 1);
            return dwelling{process, process % nodes};
        });
        list identity(home.size());
        std::iota(identity.begin(), identity.end(), 0);
        const auto links = links_of(grid);
        const list placed = place_on_grid(grid, home);
        expect_permutation(placed);
        EXPECT_LE(distant_traffic(links, home, placed), distant_traffic(links, home, identity));
        const list as_graph = place_on_graph(grid.size(), links, home);
        expect_permutation(as_graph);
        EXPECT_LE(distant_traffic(links, home, as_graph), distant_traffic(links, home, identity));
    }
}

TEST_F(topologies, give_each_home_a_tile) {
    // 4 homes of 16 ranks each on an 8 x 8 grid: 4 x 4 tiles cut 16 links; rows would cut 24.
    const cartesian grid{{8, 8}, {false, false}};
    std::vector<dwelling> home(64);
    for (std::size_t i = 0; i < home.size(); ++i) {
        home[i].process = static_cast<int>(i / 16);
    }
    EXPECT_EQ(distant_traffic(links_of(grid), home, place_on_grid(grid, home)), 16);
    // Ranks of a home that are dealt out like cards gain most.
    for (std::size_t i = 0; i < home.size(); ++i) {
        home[i].process = static_cast<int>(i % 4);
    }
    EXPECT_EQ(distant_traffic(links_of(grid), home, place_on_grid(grid, home)), 16);
}

TEST_F(topologies, give_each_memory_node_a_tile_of_processes) {
    // 16 processes of 4 ranks, dealt out to 4 nodes like cards, on an 8 x 8 grid. Tiles of 2 x 2 for
    // processes cut 48 links, 16 of them between the nodes' tiles of 4 x 4, which count twice.
    const cartesian grid{{8, 8}, {false, false}};
    std::vector<dwelling> home(64);
    for (std::size_t i = 0; i < home.size(); ++i) {
        home[i] = {static_cast<int>(i / 4), static_cast<int>(i / 4 % 4)};
    }
    EXPECT_EQ(distant_traffic(links_of(grid), home, place_on_grid(grid, home)), 48 + 16);
    // Also where each rank has a process of its own: all 112 links are between processes.
    for (std::size_t i = 0; i < home.size(); ++i) {
        home[i] = {static_cast<int>(i), static_cast<int>(i % 4)};
    }
    EXPECT_EQ(distant_traffic(links_of(grid), home, place_on_grid(grid, home)), 112 + 16);
}

TEST_F(topologies, place_thousands_without_taking_ages) {
    const cartesian grid{{16, 16, 16}, {true, true, true}};
    std::vector<dwelling> home(4096);
    for (std::size_t i = 0; i < home.size(); ++i) {
        home[i] = {static_cast<int>(i / 8), static_cast<int>(i / 8 % 8)};
    }
    // Of 12,288 links 6,144 leave tiles of 2 x 2 x 2, and 1,536 of these the nodes' 8 x 8 x 8.
    EXPECT_EQ(distant_traffic(links_of(grid), home, place_on_grid(grid, home)), 6144 + 1536);
}

TEST_F(topologies, keep_the_cliques_of_a_graph_together) {
    // Cliques of four whose members are far apart in the numbering, joined in a ring.
    std::vector<traffic_link> links;
    for (int clique = 0; clique < 4; ++clique) {
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < a; ++b) {
                links.push_back({clique + 4 * a, clique + 4 * b, 10});
            }
        }
        links.push_back({clique, (clique + 1) % 4, 1});
    }
    std::vector<dwelling> home(16);
    for (std::size_t i = 0; i < home.size(); ++i) {
        home[i] = {static_cast<int>(i / 4), static_cast<int>(i / 8)};
    }
    // The ring has two of its links between nodes, which count twice.
    EXPECT_EQ(distant_traffic(links, home, place_on_graph(16, links, home)), 4 + 2);
}

} // namespace
