// SPDX-License-Identifier: Apache-2.0
// Every algorithm that reduces, for 1 to 17 ranks, and reductions and broadcasts between groups, against the
// combination in the order of ranks.
#include "fixture.hpp"

#include "collective/algorithms/allreduce.hpp"
#include "collective/algorithms/bcast.hpp"
#include "collective/algorithms/reduce.hpp"
#include "collective/algorithms/reduce_scatter.hpp"
#include "collective/algorithms/scan.hpp"

namespace lisle::collective {
namespace {

TEST_F(algorithms, reductions_to_a_root) {
    for (const row &reduce : message_rows(operation::reduce, false)) {
        SCOPED_TRACE(name_of(reduce.use));
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
                            const typed_buffer from = buffer(at(send, rank));
                            const typed_buffer to = buffer(at(in_place ? send : receive, rank));
                            write(reduce, plan, ranks.own(rank),
                                  {.send = &from, .receive = &to, .reduction = compose_.get(), .root = root});
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
    for (const row &allreduce : message_rows(operation::allreduce, false)) {
        SCOPED_TRACE(name_of(allreduce.use));
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
                        const typed_buffer from = buffer(at(send, rank));
                        const typed_buffer to = buffer(at(in_place ? send : receive, rank));
                        write(allreduce, plan, ranks.own(rank),
                              {.send = &from, .receive = &to, .reduction = compose_.get()});
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
    std::vector<row> all = message_rows(operation::scan, false);
    std::ranges::copy(message_rows(operation::exscan, false), std::back_inserter(all));
    for (const row &scan : all) {
        SCOPED_TRACE(name_of(scan.use));
        const bool exclusive = scan.what == operation::exscan;
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
                        const typed_buffer from = buffer(at(send, rank));
                        const typed_buffer to = buffer(at(in_place ? send : receive, rank));
                        write(scan, plan, ranks.own(rank),
                              {.send = &from, .receive = &to, .reduction = compose_.get()});
                    },
                    [&] {
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
    for (const auto algorithm :
         {reduce_scatter_by_root, reduce_scatter_pairwise, reduce_scatter_recursive_halving}) {
        const bool any_order = algorithm != reduce_scatter_by_root;
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
                        if (any_order) { // a sum, for the order is not that of the ranks
                            for (auto &vector : send) {
                                for (int i = 0; i < total; ++i) {
                                    vector[i].a = 1;
                                }
                            }
                        }
                        receive = many(size, std::max(2, total), stride);
                    },
                    [&](schedule &plan, int rank) {
                        auto &result = at(in_place ? send : receive, rank);
                        algorithm(plan, ranks.own(rank), any_order ? *commutative_ : *compose_,
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
                                if (any_order) {
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

/// Operands in any order: sums, element by element.
TEST_F(algorithms, commutative_reductions) {
    constexpr int length = 21; // not a multiple of most sizes, and more than the largest of them
    const auto sum = [](int size, int index) {
        affine total;
        for (int rank = 0; rank < size; ++rank) {
            total.b += contribution(rank, index).b;
        }
        return total;
    };
    enum class which { halving, ring, to_root };
    for (const auto algorithm : {which::halving, which::ring, which::to_root}) {
        for (const bool in_place : {false, true}) {
            each_size([&](int size, int stride) {
                for (int root = 0; root < (algorithm == which::to_root ? size : 1); ++root) {
                    world ranks{size, 0};
                    arrays send, receive;
                    simulate(
                        size,
                        [&] {
                            send = many(size, length, stride);
                            contribute(send);
                            for (auto &vector : send) {
                                for (int i = 0; i < length; ++i) {
                                    vector[i].a = 1;
                                }
                            }
                            receive = many(size, length, stride);
                        },
                        [&](schedule &plan, int rank) {
                            const typed_buffer from = buffer(at(send, rank));
                            const typed_buffer to = buffer(at(in_place ? send : receive, rank));
                            switch (algorithm) {
                            case which::halving:
                                return allreduce_reduce_scatter_allgather(plan, ranks.own(rank),
                                                                          *commutative_, from, to);
                            case which::ring:
                                return allreduce_ring(plan, ranks.own(rank), *commutative_, from, to);
                            case which::to_root:
                                return reduce_reduce_scatter_gather(plan, ranks.own(rank), *commutative_,
                                                                    from, to, root);
                            }
                        },
                        [&] {
                            for (int rank = 0; rank < size; ++rank) {
                                for (int i = 0; i < length; ++i) {
                                    if (algorithm != which::to_root || rank == root) {
                                        ASSERT_EQ(at(in_place ? send : receive, rank)[i], sum(size, i));
                                    }
                                }
                            }
                        });
                }
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
