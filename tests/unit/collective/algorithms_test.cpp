// SPDX-License-Identifier: Apache-2.0
// Every algorithm, for 1 to 17 ranks and between groups, against what the standard says the result is.
// Reductions use an operation that is associative but not commutative, so a wrong order shows.
#include "simulator.hpp"

#include <functional>
#include <numeric>

#include "abi/datatype.hpp"
#include "collective/allgather.hpp"
#include "collective/allreduce.hpp"
#include "collective/alltoall.hpp"
#include "collective/barrier.hpp"
#include "collective/bcast.hpp"
#include "collective/gather.hpp"
#include "collective/reduce.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/scan.hpp"
#include "datatype/predefined.hpp"

namespace lisle::collective {
namespace {

/// x -> a * x + b modulo 2^32. Composition is associative and not commutative.
struct affine {
    std::uint32_t a = 1, b = 0;
    bool operator==(const affine &) const = default;
};

affine after(affine first, affine second) {
    return {first.a * second.a, first.a * second.b + first.b};
}

void compose(void *in, void *inout, int *count, MPI_Datatype *type) {
    const auto stride = find_datatype(*type)->extent() / static_cast<MPI_Count>(sizeof(affine));
    for (MPI_Count i = 0; i < *count; ++i) {
        auto &result = static_cast<affine *>(inout)[i * stride];
        result = after(static_cast<affine *>(in)[i * stride], result);
    }
}

constexpr affine guard{0xdeadbeef, 0xdeadbeef};

/// Element `index` of rank `rank`'s contribution.
affine contribution(int rank, int index) {
    return {static_cast<std::uint32_t>(rank * 2654435761U + index * 40503U + 1) | 1U,
            static_cast<std::uint32_t>(rank * 97 + index * 31 + 7)};
}

/// The composition of what ranks [first, last) contribute at `index`.
affine composition(int first, int last, int index) {
    affine result = contribution(first, index);
    for (int rank = first + 1; rank < last; ++rank) {
        result = after(result, contribution(rank, index));
    }
    return result;
}

/// One group or two, with the channels that their ranks would have. Numbers of the second group follow
/// those of the first.
class world {
  public:
    world(int first, int second) : sizes_{first, second}, numbers_(static_cast<std::size_t>(first + second)) {
        std::iota(numbers_.begin(), numbers_.end(), 0);
        for (int side = 0; side < 2; ++side) {
            const auto begin = numbers_.begin() + (side == 0 ? 0 : first);
            groups_[side] = make_group({begin, begin + sizes_[side]});
        }
        for (int side = 0; side < 2; ++side) {
            for (int rank = 0; rank < sizes_[side]; ++rank) {
                own_.push_back({side == 0 ? 5U : 6U, rank, groups_[side].get()});
                other_.push_back({7U, rank, groups_[1 - side].get()});
            }
        }
    }
    [[nodiscard]] int size() const { return sizes_[0] + sizes_[1]; }
    [[nodiscard]] int side(int number) const { return number < sizes_[0] ? 0 : 1; }
    [[nodiscard]] int size_of(int which) const { return sizes_[which]; }
    [[nodiscard]] team own(int number) const {
        const auto &channel = own_[static_cast<std::size_t>(number)];
        return {&channel, channel.self, channel.peers->size(), true};
    }
    [[nodiscard]] team other(int number) const {
        const auto &channel = other_[static_cast<std::size_t>(number)];
        return {&channel, channel.self, channel.peers->size(), false};
    }

  private:
    int sizes_[2];
    std::vector<int> numbers_;
    group_ref groups_[2];
    std::vector<protocol::channel> own_, other_;
};

/// A buffer of `affine`s in memory, `stride` apart, among guards.
class array {
  public:
    array(int count, int stride)
        : count_{count}, stride_{stride}, memory_(std::max(1, count * stride), guard) {}
    affine &operator[](int i) { return memory_[static_cast<std::size_t>(i * stride_)]; }
    [[nodiscard]] affine *data() { return memory_.data(); }
    [[nodiscard]] int count() const { return count_; }
    /// True if nothing was written between the elements.
    [[nodiscard]] bool gaps_intact() const {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            if (static_cast<int>(i) % stride_ != 0 && memory_[i] != guard) {
                return false;
            }
        }
        return true;
    }

  private:
    int count_, stride_;
    std::vector<affine> memory_;
};

/// Two types: an affine, and an affine that takes the room of two.
class types {
  public:
    types() {
        api::type_contiguous(2, *find_datatype(MPI_UINT32_T), &dense_, count_form::small);
        api::type_create_resized(*find_datatype(dense_), 0, 2 * sizeof(affine), &sparse_, count_form::small);
        api::type_commit(&dense_);
        api::type_commit(&sparse_);
    }
    ~types() {
        api::type_free(&sparse_);
        api::type_free(&dense_);
    }
    [[nodiscard]] const datatype &of(int stride) const {
        return *find_datatype(stride == 1 ? dense_ : sparse_);
    }

  private:
    MPI_Datatype dense_, sparse_;
};

class algorithms : public testing::Test {
  protected:
    algorithms()
        : compose_{ref<const op>::adopt(create_op(compose, false))}, commutative_{ref<const op>::adopt(
                                                                         create_op(compose, true))} {}

    /// Runs `body(size, stride)` for sizes about each power of two and both types.
    static void each_size(const std::function<void(int, int)> &body) {
        for (const int size : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 17}) {
            for (int stride = 1; stride <= 2; ++stride) {
                SCOPED_TRACE(testing::Message() << size << " ranks, stride " << stride);
                body(size, stride);
                if (HasFatalFailure()) {
                    return;
                }
            }
        }
    }

    [[nodiscard]] typed_buffer buffer(array &of) const { return {of.data(), of.count(), type(of)}; }
    [[nodiscard]] typed_buffer buffer(array &of, int first, int count) const {
        return {&of[first], count, type(of)};
    }
    [[nodiscard]] const datatype &type(array &of) const {
        return types_.of(of.count() > 1 ? static_cast<int>(&of[1] - &of[0]) : stride_);
    }

    /// Builds a schedule for each rank of a world and runs them in several orders. `prepare` sets the
    /// buffers, `build` writes one rank's schedule, `check` looks at the results.
    static void simulate(int ranks, const std::function<void()> &prepare,
                         const std::function<void(schedule &, int)> &build,
                         const std::function<void()> &check) {
        for (const delivery mode : {delivery::at_once, delivery::late}) {
            for (unsigned seed = 0; seed < 2; ++seed) {
                prepare();
                std::vector<schedule> plans(static_cast<std::size_t>(ranks));
                for (int rank = 0; rank < ranks; ++rank) {
                    build(plans[static_cast<std::size_t>(rank)], rank);
                }
                simulator{std::move(plans), mode, seed}.run();
                if (HasFatalFailure()) {
                    return;
                }
                check();
            }
        }
    }

    types types_;
    ref<const op> compose_, commutative_;
    int stride_ = 1; ///< of arrays of one element
};

using arrays = std::vector<array>;

arrays many(int ranks, int count, int stride) {
    return arrays(static_cast<std::size_t>(ranks), array{count, stride});
}

array &at(arrays &all, int rank) {
    return all[static_cast<std::size_t>(rank)];
}

/// Fills each rank's array with its contribution.
void contribute(arrays &all) {
    for (int rank = 0; rank < static_cast<int>(all.size()); ++rank) {
        for (int i = 0; i < at(all, rank).count(); ++i) {
            at(all, rank)[i] = contribution(rank, i);
        }
    }
}

constexpr int elements = 3;

TEST_F(algorithms, barriers) {
    for (const auto barrier : {barrier_dissemination, barrier_linear}) {
        for (int size = 1; size <= 17; ++size) {
            world ranks{size, 0};
            simulate(
                size, [] {}, [&](schedule &plan, int rank) { barrier(plan, ranks.own(rank)); }, [] {});
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
    for (const auto bcast : {bcast_binomial, bcast_linear}) {
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
                        bcast(plan, ranks.own(rank), buffer(at(data, rank)), root);
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
                                                rank == root ? buffer(all) : nothing(), root);
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
                                                 rank == root ? buffer(all) : nothing(), place_of(rank),
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
                                                            buffer(at(all, rank)));
                    case which::bruck:
                        return allgather_bruck(plan, ranks.own(rank), mine, buffer(at(all, rank)));
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
                        alltoall(plan, team, ranks.size_of(ranks.side(number)), from, to);
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
