// SPDX-License-Identifier: Apache-2.0
// Every algorithm that moves data, for 1 to 17 ranks, against what the standard says the result is.
#include "fixture.hpp"

#include "collective/algorithms/allgather.hpp"
#include "collective/algorithms/alltoall.hpp"
#include "collective/algorithms/barrier.hpp"
#include "collective/algorithms/bcast.hpp"
#include "collective/algorithms/gather.hpp"

namespace lisle::collective {
namespace {

TEST_F(algorithms, barriers) {
    for (const row &barrier : message_rows(operation::barrier)) {
        SCOPED_TRACE(name_of(barrier.use));
        for (int size = 1; size <= 17; ++size) {
            world ranks{size, 0};
            simulate(
                size, [] {}, [&](schedule &plan, int rank) { write(barrier, plan, ranks.own(rank), {}); },
                [] {});
        }
    }
    world ranks{3, 5};
    simulate(
        8, [] {},
        [&](schedule &plan, int number) {
            barrier_between_groups(plan, ranks.own(number), ranks.other(number));
        },
        [] {});
}

TEST_F(algorithms, broadcasts) {
    for (const row &bcast : message_rows(operation::bcast)) {
        SCOPED_TRACE(name_of(bcast.use));
        each_size([&](int size, int stride) {
            for (const int root : {0, size / 2, size - 1}) {
                world ranks{size, 0};
                arrays data;
                simulate(
                    size,
                    [&] {
                        data = many(size, elements, stride);
                        for (int i = 0; i < elements; ++i) {
                            at(data, root)[i] = contribution(root, i);
                        }
                    },
                    [&](schedule &plan, int rank) {
                        const typed_buffer own = buffer(at(data, rank));
                        write(bcast, plan, ranks.own(rank), {.receive = &own, .root = root});
                    },
                    [&] {
                        for (auto &buffer : data) {
                            for (int i = 0; i < elements; ++i) {
                                ASSERT_EQ(buffer[i], contribution(root, i));
                            }
                            ASSERT_TRUE(buffer.gaps_intact());
                        }
                    });
            }
        });
    }
}

TEST_F(algorithms, gathers_and_scatters) {
    for (const bool binomial : {true, false}) {
        for (const bool in_place : {false, true}) {
            each_size([&](int size, int stride) {
                for (const int root : {0, size / 2, size - 1}) {
                    world ranks{size, 0};
                    arrays own;
                    array all{size * elements, stride};
                    const auto blocks = [&] {
                        std::vector<typed_buffer> places;
                        for (int rank = 0; rank < size; ++rank) {
                            places.push_back(buffer(all, rank * elements, elements));
                        }
                        return places;
                    };
                    const auto place_of = [&](int rank) {
                        return in_place && rank == root ? buffer(all, rank * elements, elements)
                                                        : buffer(at(own, rank));
                    };
                    const auto whole_array = [&] { return block_view{blocks().front(), size}; };
                    const auto fill_all = [&] {
                        for (int i = 0; i < size * elements; ++i) {
                            all[i] = contribution(i / elements, i % elements);
                        }
                    };
                    simulate(
                        size,
                        [&] {
                            own = many(size, elements, 3 - stride);
                            contribute(own);
                            all = array{size * elements, stride};
                            if (in_place) {
                                fill_all();
                            }
                        },
                        [&](schedule &plan, int rank) {
                            if (binomial) {
                                gather_binomial(plan, ranks.own(rank), place_of(rank),
                                                rank == root ? whole_array() : block_view{}, root);
                            } else {
                                gather_linear(plan, ranks.own(rank), place_of(rank),
                                              rank == root ? blocks() : std::vector<typed_buffer>{}, root);
                            }
                        },
                        [&] {
                            for (int i = 0; i < size * elements; ++i) {
                                ASSERT_EQ(all[i], contribution(i / elements, i % elements));
                            }
                            ASSERT_TRUE(all.gaps_intact());
                        });
                    simulate(
                        size,
                        [&] {
                            own = many(size, elements, 3 - stride);
                            fill_all();
                        },
                        [&](schedule &plan, int rank) {
                            if (binomial) {
                                scatter_binomial(plan, ranks.own(rank),
                                                 rank == root ? whole_array() : block_view{}, place_of(rank),
                                                 root);
                            } else {
                                scatter_linear(plan, ranks.own(rank),
                                               rank == root ? blocks() : std::vector<typed_buffer>{},
                                               place_of(rank), root);
                            }
                        },
                        [&] {
                            for (int rank = 0; rank < size; ++rank) {
                                for (int i = 0; i < elements && !(in_place && rank == root); ++i) {
                                    ASSERT_EQ(at(own, rank)[i], contribution(rank, i));
                                }
                                ASSERT_TRUE(at(own, rank).gaps_intact());
                            }
                        });
                }
            });
        }
    }
}

TEST_F(algorithms, allgathers) {
    enum class which { ring, doubling, bruck };
    for (const auto algorithm : {which::ring, which::doubling, which::bruck}) {
        each_size([&](int size, int stride) {
            if (algorithm == which::doubling && (size & (size - 1)) != 0) {
                return;
            }
            world ranks{size, 0};
            arrays own, all;
            simulate(
                size,
                [&] {
                    own = many(size, elements, 3 - stride);
                    contribute(own);
                    all = many(size, size * elements, stride);
                },
                [&](schedule &plan, int rank) {
                    const typed_buffer mine = buffer(at(own, rank));
                    std::vector<typed_buffer> blocks;
                    for (int i = 0; i < size; ++i) {
                        blocks.push_back(buffer(at(all, rank), i * elements, elements));
                    }
                    switch (algorithm) {
                    case which::ring:
                        return allgather_ring(plan, ranks.own(rank), mine, blocks);
                    case which::doubling:
                        return allgather_recursive_doubling(plan, ranks.own(rank), mine,
                                                            {blocks.front(), size});
                    case which::bruck:
                        return allgather_bruck(plan, ranks.own(rank), mine, {blocks.front(), size});
                    }
                },
                [&] {
                    for (auto &result : all) {
                        for (int i = 0; i < size * elements; ++i) {
                            ASSERT_EQ(result[i], contribution(i / elements, i % elements));
                        }
                        ASSERT_TRUE(result.gaps_intact());
                    }
                });
        });
    }
}

// Rank r sends (r + peer) % 3 elements to each peer.
TEST_F(algorithms, alltoalls_in_few_rounds) {
    const auto value = [](int from, int to, int i) {
        return affine{static_cast<std::uint32_t>(from * 100 + to), static_cast<std::uint32_t>(i)};
    };
    each_size([&](int size, int stride) {
        world ranks{size, 0};
        arrays sent, received;
        const auto blocks = [&](arrays &of, int rank) {
            std::vector<typed_buffer> places;
            for (int peer = 0; peer < size; ++peer) {
                places.push_back(buffer(at(of, rank), peer * elements, elements));
            }
            return places;
        };
        simulate(
            size,
            [&] {
                sent = many(size, size * elements, stride);
                received = many(size, size * elements, stride);
                for (int rank = 0; rank < size; ++rank) {
                    for (int i = 0; i < size * elements; ++i) {
                        at(sent, rank)[i] = value(rank, i / elements, i % elements);
                    }
                }
            },
            [&](schedule &plan, int rank) {
                alltoall_bruck(plan, ranks.own(rank), blocks(sent, rank), blocks(received, rank));
            },
            [&] {
                for (int rank = 0; rank < size; ++rank) {
                    for (int i = 0; i < size * elements; ++i) {
                        ASSERT_EQ(at(received, rank)[i], value(i / elements, rank, i % elements));
                    }
                }
            });
    });
}

TEST_F(algorithms, alltoalls) {
    const auto length = [](int from, int to) { return (from + to) % 3; };
    const auto value = [](int from, int to, int i) {
        return affine{static_cast<std::uint32_t>(from * 100 + to), static_cast<std::uint32_t>(i)};
    };
    for (const auto alltoall : {alltoall_pairwise, alltoall_linear}) {
        for (const auto &[first, second] : {std::pair{1, 0}, {2, 0}, {7, 0}, {16, 0}, {3, 5}, {4, 1}}) {
            for (const bool in_place : {false, true}) {
                if (in_place && second > 0) {
                    continue;
                }
                world ranks{first, second};
                const auto number_of = [&](int peer, int side) { return side == 0 ? peer : first + peer; };
                const int most = 3 * std::max(first, second);
                arrays sent, received;
                const auto blocks = [&](arrays &from, int number, bool sending) {
                    const int side = second > 0 ? 1 - ranks.side(number) : 0;
                    std::vector<typed_buffer> places;
                    for (int peer = 0; peer < ranks.size_of(side); ++peer) {
                        const int other = number_of(peer, side);
                        places.push_back(buffer(at(from, number), peer * 3,
                                                sending ? length(number, other) : length(other, number)));
                    }
                    return places;
                };
                simulate(
                    first + second,
                    [&] {
                        sent = many(first + second, most, 2);
                        received = many(first + second, most, 1);
                        for (int number = 0; number < first + second; ++number) {
                            const int side = second > 0 ? 1 - ranks.side(number) : 0;
                            for (int peer = 0; peer < ranks.size_of(side); ++peer) {
                                for (int i = 0; i < 3; ++i) {
                                    auto &from = in_place ? received : sent;
                                    at(from, number)[peer * 3 + i] = value(number, number_of(peer, side), i);
                                }
                            }
                        }
                    },
                    [&](schedule &plan, int number) {
                        const team team = second > 0 ? ranks.other(number) : ranks.own(number);
                        const auto to = blocks(received, number, false);
                        const auto from =
                            in_place ? packed_copies(plan, team, to) : blocks(sent, number, true);
                        if (second > 0) {
                            alltoall_between_groups(plan, ranks.own(number), team, from, to);
                        } else {
                            alltoall(plan, team, from, to);
                        }
                    },
                    [&] {
                        for (int number = 0; number < first + second; ++number) {
                            const int side = second > 0 ? 1 - ranks.side(number) : 0;
                            for (int peer = 0; peer < ranks.size_of(side); ++peer) {
                                const int other = number_of(peer, side);
                                for (int i = 0; i < length(other, number); ++i) {
                                    ASSERT_EQ(at(received, number)[peer * 3 + i], value(other, number, i));
                                }
                            }
                        }
                    });
            }
        }
    }
}

} // namespace
} // namespace lisle::collective
