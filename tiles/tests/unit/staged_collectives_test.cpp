// SPDX-License-Identifier: Apache-2.0
// The stages in which ranks on a mesh meet, and the collectives in these stages, for meshes and for parts of
// them that are no rectangles.
#include "fixture.hpp"

#include <numeric>

#include "collective/algorithms/by_fabric.hpp"
#include "tile/collective/staged_collectives.hpp"

namespace lisle::collective {
namespace {

using tile::mesh_stages;
using tile::run_of_pieces;
using tile::staged_collectives;

/// Ranks on tiles.
class ranks_on_mesh final : public tile::mesh_places {
  public:
    ranks_on_mesh(int width, std::vector<int> tiles)
        : width_{width}, tiles_{std::move(tiles)}, members_{make_group(numbers())} {}

    [[nodiscard]] int size() const { return static_cast<int>(tiles_.size()); }
    [[nodiscard]] tile::mesh_place place_of(int rank) const noexcept override {
        const int tile = tiles_[static_cast<std::size_t>(rank)];
        return {tile % width_, tile / width_};
    }
    [[nodiscard]] mesh_stages stages(int rank) const { return {tile::mesh_view{*this, *members_}, rank}; }

  private:
    [[nodiscard]] std::vector<int> numbers() const {
        std::vector<int> all(tiles_.size());
        std::iota(all.begin(), all.end(), 0);
        return all;
    }

    int width_;
    std::vector<int> tiles_;
    group_ref members_;
};

ranks_on_mesh whole(int width, int height) {
    std::vector<int> tiles(static_cast<std::size_t>(width * height));
    std::iota(tiles.begin(), tiles.end(), 0);
    return {width, tiles};
}

/// Whole meshes, a square in the middle of one, ranks dealt out at random, and no rectangles.
std::vector<ranks_on_mesh> layouts() {
    std::vector<int> mixed(16);
    std::iota(mixed.begin(), mixed.end(), 0);
    std::shuffle(mixed.begin(), mixed.end(), std::mt19937{7});
    return {whole(2, 2),
            whole(4, 4),
            whole(3, 5),
            whole(8, 8),
            whole(6, 1),
            {4, {5, 6, 9, 10}},
            {4, mixed},
            {4, {0, 1, 2, 3, 4, 5, 6}},
            {4, {0, 3, 5, 12, 15}},
            {4, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}}};
}

TEST(mesh_stages, near_ranks_meet_first) {
    const mesh_stages stages = whole(4, 4).stages(0);
    ASSERT_EQ(stages.count(), 4);
    EXPECT_EQ(stages.peer(0, 1), 1);
    EXPECT_EQ(stages.peer(1, 1), 4);
    EXPECT_EQ(stages.peer(2, 1), 2);
    EXPECT_EQ(stages.peer(3, 1), 8);
    const mesh_stages odd = whole(3, 5).stages(7);
    ASSERT_EQ(odd.count(), 2);
    EXPECT_EQ(odd.members(0), 5);
    EXPECT_EQ(odd.members(1), 3);
    EXPECT_EQ(odd.peer(0, 4), 13);
    EXPECT_EQ(odd.peer(1, 0), 6);
}

TEST(mesh_stages, members_meet_each_other) {
    for (const ranks_on_mesh &ranks : layouts()) {
        const mesh_stages first = ranks.stages(0);
        ASSERT_GT(first.count(), 0);
        ASSERT_EQ(first.pieces(first.count()), ranks.size());
        std::vector<bool> taken(static_cast<std::size_t>(ranks.size()));
        for (int rank = 0; rank < ranks.size(); ++rank) {
            const mesh_stages stages = ranks.stages(rank);
            for (int stage = 0; stage < stages.count(); ++stage) {
                EXPECT_EQ(stages.peer(stage, stages.digit(stage)), rank);
                for (int digit = 0; digit < stages.members(stage); ++digit) {
                    const int peer = stages.peer(stage, digit);
                    EXPECT_EQ(stages.digit_of(peer, stage), digit);
                    EXPECT_EQ(ranks.stages(peer).peer(stage, stages.digit(stage)), rank);
                }
            }
            const run_of_pieces own = first.held(rank, first.count(), first.count());
            EXPECT_EQ(own.count, 1);
            EXPECT_FALSE(taken[static_cast<std::size_t>(own.first)]);
            taken[static_cast<std::size_t>(own.first)] = true;
        }
    }
}

TEST(mesh_stages, a_side_of_a_large_prime_number_has_none) {
    EXPECT_EQ(whole(11, 4).stages(3).count(), 0);
    EXPECT_EQ((ranks_on_mesh{4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}.stages(3).count()), 0);
}

TEST(mesh_stages, short_vectors_are_cut_less) {
    const mesh_stages stages = whole(4, 4).stages(0);
    EXPECT_EQ(stages.cutting(0), 0);
    EXPECT_EQ(stages.cutting(1024), 2);
    EXPECT_EQ(stages.cutting(1 << 20), 4);
}

TEST(mesh_stages, the_last_pair_of_a_reduction_cuts_long_vectors_only) {
    const mesh_stages stages = whole(4, 4).stages(0);
    EXPECT_EQ(stages.cutting_to_reduce(1024), 2);
    EXPECT_EQ(stages.cutting_to_reduce(16384), 3);
    EXPECT_EQ(stages.cutting_to_reduce(1 << 20), 4);
    EXPECT_EQ(whole(3, 5).stages(0).cutting_to_reduce(16384), 2);
}

// Of 8 bytes: not cut, cut in some stages, in all but the last, and in all.
constexpr int lengths[] = {1, 3, 150, 600, 3000, 9000};

class mesh_algorithms : public algorithms {
  protected:
    /// Runs `body(ranks, stages by rank, length, stride)`.
    static void each_layout(
        const std::function<void(const ranks_on_mesh &, const std::vector<mesh_stages> &, int, int)> &body,
        int longest = lengths[std::size(lengths) - 1]) {
        for (const ranks_on_mesh &ranks : layouts()) {
            std::vector<mesh_stages> stages;
            for (int rank = 0; rank < ranks.size(); ++rank) {
                stages.push_back(ranks.stages(rank));
            }
            for (const int length : lengths) {
                if (length > longest ||
                    (ranks.size() > 16 && length > 3000)) { // all stages are cut as with fewer ranks
                    break;
                }
                const int stride = length % 2 + 1;
                SCOPED_TRACE(testing::Message() << ranks.size() << " ranks, length " << length);
                body(ranks, stages, length, stride);
                if (HasFatalFailure()) {
                    return;
                }
            }
        }
    }

    static std::uint32_t sum(int size, int index) {
        std::uint32_t total = 0;
        for (int rank = 0; rank < size; ++rank) {
            total += contribution(rank, index).b;
        }
        return total;
    }

    /// Vectors that can be added in any order.
    static arrays summands(int size, int length, int stride) {
        arrays all = many(size, length, stride);
        contribute(all);
        for (auto &vector : all) {
            for (int i = 0; i < length; ++i) {
                vector[i].a = 1;
            }
        }
        return all;
    }
};

TEST_F(mesh_algorithms, broadcast) {
    each_layout([&](const auto &ranks, const auto &stages, int length, int stride) {
        world all{ranks.size(), 0};
        for (const int root : {0, ranks.size() / 2, ranks.size() - 1}) {
            arrays data;
            simulate(
                ranks.size(),
                [&] {
                    data = many(ranks.size(), length, stride);
                    for (int i = 0; i < length; ++i) {
                        at(data, root)[i] = contribution(root, i);
                    }
                },
                [&](schedule &plan, int rank) {
                    staged_collectives{stages[static_cast<std::size_t>(rank)]}.bcast(
                        steps_of_schedule{plan}, all.own(rank), buffer(at(data, rank)), root);
                    if (rank == root && stride == 1) { // its buffer may be constant
                        for (const step &each : plan.steps()) {
                            ASSERT_FALSE(std::holds_alternative<receive_step>(each));
                        }
                    }
                },
                [&] {
                    for (auto &result : data) {
                        for (int i = 0; i < length; ++i) {
                            ASSERT_EQ(result[i], contribution(root, i));
                        }
                        ASSERT_TRUE(result.gaps_intact());
                    }
                });
        }
    });
}

TEST_F(mesh_algorithms, reductions) {
    for (const bool in_place : {false, true}) {
        each_layout([&](const auto &ranks, const auto &stages, int length, int stride) {
            world all{ranks.size(), 0};
            arrays send, receive;
            const auto prepare = [&] {
                send = summands(ranks.size(), length, stride);
                receive = many(ranks.size(), length, stride);
            };
            const auto result = [&](int rank) -> array & { return at(in_place ? send : receive, rank); };
            const auto check = [&](int rank) {
                for (int i = 0; i < length; ++i) {
                    ASSERT_EQ(result(rank)[i].b, sum(ranks.size(), i)) << "rank " << rank;
                }
                ASSERT_TRUE(result(rank).gaps_intact());
            };
            simulate(
                ranks.size(), prepare,
                [&](schedule &plan, int rank) {
                    staged_collectives{stages[static_cast<std::size_t>(rank)]}.allreduce(
                        steps_of_schedule{plan}, all.own(rank), *commutative_, buffer(at(send, rank)),
                        buffer(result(rank)));
                },
                [&] {
                    for (int rank = 0; rank < ranks.size(); ++rank) {
                        check(rank);
                    }
                });
            for (const int root : {0, ranks.size() / 2, ranks.size() - 1}) {
                simulate(
                    ranks.size(), prepare,
                    [&](schedule &plan, int rank) {
                        staged_collectives{stages[static_cast<std::size_t>(rank)]}.reduce(
                            steps_of_schedule{plan}, all.own(rank), *commutative_, buffer(at(send, rank)),
                            buffer(result(rank)), root);
                    },
                    [&] {
                        check(root);
                        for (int rank = 0; rank < ranks.size() && !in_place; ++rank) {
                            ASSERT_EQ(at(send, rank)[0].b, contribution(rank, 0).b);
                        }
                    });
            }
        });
    }
}

// Rank r gets r % 3 elements, or all the same.
TEST_F(mesh_algorithms, reductions_to_pieces) {
    each_layout([&](const auto &ranks, const auto &stages, int length, int stride) {
        world all{ranks.size(), 0};
        std::vector<MPI_Count> counts;
        for (int rank = 0; rank < ranks.size(); ++rank) {
            counts.push_back(length == 1 ? rank % 3 : length / ranks.size());
        }
        const int total = static_cast<int>(std::accumulate(counts.begin(), counts.end(), MPI_Count{0}));
        const auto own = [&](int rank) { return static_cast<int>(counts[static_cast<std::size_t>(rank)]); };
        arrays send, receive;
        simulate(
            ranks.size(),
            [&] {
                send = summands(ranks.size(), std::max(2, total), stride);
                receive = many(ranks.size(), std::max(2, total), stride);
            },
            [&](schedule &plan, int rank) {
                staged_collectives{stages[static_cast<std::size_t>(rank)]}.reduce_scatter(
                    steps_of_schedule{plan}, all.own(rank), *commutative_, buffer(at(send, rank), 0, total),
                    buffer(at(receive, rank), 0, own(rank)), counts);
            },
            [&] {
                int first = 0;
                for (int rank = 0; rank < ranks.size(); ++rank) {
                    for (int i = 0; i < own(rank); ++i) {
                        ASSERT_EQ(at(receive, rank)[i].b, sum(ranks.size(), first + i)) << "rank " << rank;
                    }
                    first += own(rank);
                }
            });
    });
}

// Blocks of several lengths.
TEST_F(mesh_algorithms, gathering_at_all) {
    each_layout(
        [&](const auto &ranks, const auto &stages, int length, int stride) {
            world all{ranks.size(), 0};
            const auto own = [&](int rank) { return std::max(1, length - rank % 2); };
            const auto first = [&](int rank) {
                int begin = 0;
                for (int other = 0; other < rank; ++other) {
                    begin += own(other);
                }
                return begin;
            };
            const int total = first(ranks.size());
            arrays send, receive;
            simulate(
                ranks.size(),
                [&] {
                    send = many(ranks.size(), length + 1, 3 - stride);
                    contribute(send);
                    receive = many(ranks.size(), total, stride);
                },
                [&](schedule &plan, int rank) {
                    std::vector<typed_buffer> blocks;
                    for (int other = 0; other < ranks.size(); ++other) {
                        blocks.push_back(buffer(at(receive, rank), first(other), own(other)));
                    }
                    staged_collectives{stages[static_cast<std::size_t>(rank)]}.allgather(
                        steps_of_schedule{plan}, all.own(rank), buffer(at(send, rank), 0, own(rank)), blocks);
                },
                [&] {
                    for (auto &result : receive) {
                        for (int rank = 0; rank < ranks.size(); ++rank) {
                            for (int i = 0; i < own(rank); ++i) {
                                ASSERT_EQ(result[first(rank) + i], contribution(rank, i));
                            }
                        }
                        ASSERT_TRUE(result.gaps_intact());
                    }
                });
        },
        600);
}

} // namespace
} // namespace lisle::collective
