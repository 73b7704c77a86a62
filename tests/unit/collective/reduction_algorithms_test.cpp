// SPDX-License-Identifier: Apache-2.0
// Every algorithm that reduces, for 1 to 17 ranks, and reductions and broadcasts between groups, against the
// combination in the order of ranks.
#include "fixture.hpp"

#include "collective/allreduce.hpp"
#include "collective/bcast.hpp"
#include "collective/reduce.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/scan.hpp"

namespace lisle::collective {
namespace {

TEST_F(algorithms, reductions_to_a_root) {
    for (const auto reduce : {reduce_binomial, reduce_linear}) {
        for (const bool in_place : {false, true}) {
            each_size([&](int size, int stride) {
                for (const int root : {0, size / 2, size - 1}) {
                    world ranks{size, 0};
                    arrays send, receive;
                    simulate(
                        size,
                        [&] {
                            send = many(size, elements, stride);
                            contribute(send);
                            receive = many(size, elements, stride);
                        },
                        [&](schedule &plan, int rank) {
                            auto &result = in_place ? send : receive;
                            reduce(plan, ranks.own(rank), *compose_, buffer(at(send, rank)),
                                   buffer(at(result, rank)), root);
                        },
                        [&] {
                            auto &result = at(in_place ? send : receive, root);
                            for (int i = 0; i < elements; ++i) {
                                ASSERT_EQ(result[i], composition(0, size, i)) << "root " << root;
                                for (int rank = 0; rank < size && !in_place; ++rank) {
                                    ASSERT_EQ(at(send, rank)[i], contribution(rank, i));
                                }
                            }
                            ASSERT_TRUE(result.gaps_intact());
                        });
                }
            });
        }
    }
}

TEST_F(algorithms, reductions_to_all) {
    for (const auto allreduce : {allreduce_recursive_doubling, allreduce_reduce_bcast}) {
        for (const bool in_place : {false, true}) {
            each_size([&](int size, int stride) {
                world ranks{size, 0};
                arrays send, receive;
                simulate(
                    size,
                    [&] {
                        send = many(size, elements, stride);
                        contribute(send);
                        receive = many(size, elements, stride);
                    },
                    [&](schedule &plan, int rank) {
                        allreduce(plan, ranks.own(rank), *compose_, buffer(at(send, rank)),
                                  buffer(at(in_place ? send : receive, rank)));
                    },
                    [&] {
                        for (auto &result : in_place ? send : receive) {
                            for (int i = 0; i < elements; ++i) {
                                ASSERT_EQ(result[i], composition(0, size, i));
                            }
                        }
                    });
            });
        }
    }
}

TEST_F(algorithms, scans) {
    enum class which { doubling, linear, exclusive };
    for (const auto algorithm : {which::doubling, which::linear, which::exclusive}) {
        for (const bool in_place : {false, true}) {
            each_size([&](int size, int stride) {
                world ranks{size, 0};
                arrays send, receive;
                simulate(
                    size,
                    [&] {
                        send = many(size, elements, stride);
                        contribute(send);
                        receive = many(size, elements, stride);
                    },
                    [&](schedule &plan, int rank) {
                        const auto scan = algorithm == which::doubling ? scan_doubling
                                          : algorithm == which::linear ? scan_linear
                                                                       : exscan_doubling;
                        scan(plan, ranks.own(rank), *compose_, buffer(at(send, rank)),
                             buffer(at(in_place ? send : receive, rank)));
                    },
                    [&] {
                        const bool exclusive = algorithm == which::exclusive;
                        for (int rank = exclusive ? 1 : 0; rank < size; ++rank) {
                            auto &result = at(in_place ? send : receive, rank);
                            for (int i = 0; i < elements; ++i) {
                                ASSERT_EQ(result[i], composition(0, exclusive ? rank : rank + 1, i));
                            }
                        }
                    });
            });
        }
    }
}

// Rank r gets r % 3 elements.
TEST_F(algorithms, reductions_to_pieces) {
    for (const bool pairwise : {false, true}) {
        for (const bool in_place : {false, true}) {
            each_size([&](int size, int stride) {
                world ranks{size, 0};
                std::vector<MPI_Count> counts;
                for (int rank = 0; rank < size; ++rank) {
                    counts.push_back(rank % 3);
                }
                const int total =
                    static_cast<int>(std::accumulate(counts.begin(), counts.end(), MPI_Count{0}));
                arrays send, receive;
                simulate(
                    size,
                    [&] {
                        send = many(size, std::max(2, total), stride);
                        contribute(send);
                        if (pairwise) { // a sum, for the order is not that of the ranks
                            for (auto &vector : send) {
                                for (int i = 0; i < total; ++i) {
                                    vector[i].a = 1;
                                }
                            }
                        }
                        receive = many(size, std::max(2, total), stride);
                    },
                    [&](schedule &plan, int rank) {
                        const auto reduce_scatter =
                            pairwise ? reduce_scatter_pairwise : reduce_scatter_by_root;
                        auto &result = at(in_place ? send : receive, rank);
                        reduce_scatter(
                            plan, ranks.own(rank), pairwise ? *commutative_ : *compose_,
                            buffer(at(send, rank), 0, total),
                            buffer(result, 0, static_cast<int>(counts[static_cast<std::size_t>(rank)])),
                            counts);
                    },
                    [&] {
                        int first = 0;
                        for (int rank = 0; rank < size; ++rank) {
                            auto &result = at(in_place ? send : receive, rank);
                            for (int i = 0; i < counts[static_cast<std::size_t>(rank)]; ++i) {
                                affine expected = composition(0, size, first + i);
                                if (pairwise) {
                                    expected = {};
                                    for (int other = 0; other < size; ++other) {
                                        expected.b += contribution(other, first + i).b;
                                    }
                                }
                                ASSERT_EQ(result[i], expected) << "rank " << rank;
                            }
                            first += static_cast<int>(counts[static_cast<std::size_t>(rank)]);
                        }
                    });
            });
        }
    }
}

TEST_F(algorithms, between_groups) {
    for (const auto &[first, second] : {std::pair{1, 1}, {1, 4}, {3, 5}, {8, 2}}) {
        SCOPED_TRACE(testing::Message() << first << " and " << second << " ranks");
        world ranks{first, second};
        const int size = first + second;
        const auto begin = [&, first = first](int side) { return side == 0 ? 0 : first; };
        const auto end = [&, first = first](int side) { return side == 0 ? first : size; };
        arrays send, receive;
        const auto prepare = [&] {
            send = many(size, elements, 1);
            contribute(send);
            receive = many(size, elements, 2);
        };
        simulate(
            size, prepare,
            [&](schedule &plan, int number) {
                allreduce_between_groups(plan, ranks.own(number), ranks.other(number), *compose_,
                                         buffer(at(send, number)),
                                         {at(receive, number).data(), elements, types_.of(2)});
            },
            [&] {
                for (int number = 0; number < size; ++number) {
                    const int side = 1 - ranks.side(number);
                    for (int i = 0; i < elements; ++i) {
                        ASSERT_EQ(at(receive, number)[i], composition(begin(side), end(side), i));
                    }
                }
            });
        for (int root = 0; root < size; ++root) {
            // What the rank with this number passes as its root.
            const auto root_for = [&](int number) {
                return number == root                           ? MPI_ROOT
                       : ranks.side(number) == ranks.side(root) ? MPI_PROC_NULL
                                                                : root - begin(ranks.side(root));
            };
            const int others = 1 - ranks.side(root);
            simulate(
                size, prepare,
                [&](schedule &plan, int number) {
                    reduce_between_groups(plan, ranks.own(number), ranks.other(number), *compose_,
                                          buffer(at(send, number)), buffer(at(receive, number)),
                                          root_for(number));
                },
                [&] {
                    for (int i = 0; i < elements; ++i) {
                        ASSERT_EQ(at(receive, root)[i], composition(begin(others), end(others), i));
                    }
                });
            simulate(
                size, prepare,
                [&](schedule &plan, int number) {
                    bcast_between_groups(plan, ranks.own(number), ranks.other(number),
                                         number == root ? buffer(at(send, root))
                                                        : buffer(at(receive, number)),
                                         root_for(number));
                },
                [&] {
                    for (int number = begin(others); number < end(others); ++number) {
                        for (int i = 0; i < elements; ++i) {
                            ASSERT_EQ(at(receive, number)[i], contribution(root, i));
                        }
                    }
                });
        }
    }
}

} // namespace
} // namespace lisle::collective
