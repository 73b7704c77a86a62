// SPDX-License-Identifier: Apache-2.0
// In-process collectives alone: threads and fibers in worker groups of many shapes run random calls on one
// object, and stop now and then.
#include "collective/process/in_process.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "datatype/predefined.hpp"
#include "inside.hpp"

using namespace lisle;
using namespace lisle::collective;

namespace {

constexpr int rounds = 2000;

/// What a rank gives in a round, as element `at`.
int value_of(int round, int rank, int at) {
    return (round * 13 + rank * 101 + at * 7) % 1000;
}

std::vector<int> values(int round, int rank, std::size_t count) {
    std::vector<int> made(count);
    for (std::size_t at = 0; at < count; ++at) {
        made[at] = value_of(round, rank, static_cast<int>(at));
    }
    return made;
}

typed_buffer as_buffer(std::vector<int> &data) {
    return {data.data(), static_cast<MPI_Count>(data.size()), *find_datatype(MPI_INT)};
}

/// The sum of what the ranks [0, end) give.
std::vector<int> sum_of(int round, int end, std::size_t count) {
    std::vector<int> sum(count, 0);
    for (int rank = 0; rank < end; ++rank) {
        const auto given = values(round, rank, count);
        std::transform(sum.begin(), sum.end(), given.begin(), sum.begin(), std::plus{});
    }
    return sum;
}

struct shape {
    std::vector<int> groups; ///< of each rank
    int workers;             ///< 0: threads
};

/// One rank's part in random calls on an object that all share.
class caller {
  public:
    caller(in_process_collective &shared, communicator &comm)
        : shared_{shared}, comm_{comm}, chance_{3, comm.rank()} {}

    /// @return how many results were wrong
    int run(int round) {
        chance_.pause();
        switch (chance_.common(4)) {
        case 0:
            return reduce(round, result_place::everywhere);
        case 1:
            return reduce(round, result_place::prefixes);
        case 2:
            return scan(round);
        default:
            return exchange(round);
        }
    }

  private:
    int reduce(int round, result_place place) {
        const std::size_t count = chance_.common(600);
        auto give = values(round, comm_.rank(), count);
        std::vector<int> take(count, -1);
        shared_.expose(comm_, {as_buffer(give), as_buffer(take)});
        const int error = shared_.reduce(comm_, find_op(MPI_SUM), place);
        const int end = place == result_place::everywhere ? comm_.size() : comm_.rank() + 1;
        return error != MPI_SUCCESS || take != sum_of(round, end, count) ? 1 : 0;
    }
    int scan(int round) {
        const std::size_t count = chance_.common(512);
        const bool exclusive = chance_.common(2) == 0;
        auto give = values(round, comm_.rank(), count);
        std::vector<int> take(count, 0);
        const typed_buffer result = as_buffer(take);
        if (!shared_.scans_in_turn(*result.type, result.bytes())) {
            return 0;
        }
        shared_.scan(comm_, {give.data(), result, result.bytes(), find_op(MPI_SUM), exclusive});
        return take != sum_of(round, comm_.rank() + (exclusive ? 0 : 1), count) ? 1 : 0;
    }
    int exchange(int round) {
        const auto ranks = static_cast<std::size_t>(comm_.size());
        const std::size_t each = chance_.common(40);
        const bool rooted = chance_.common(2) == 0;
        const int root =
            rooted ? static_cast<int>(chance_.common(static_cast<unsigned>(ranks))) : area_members::everyone;
        auto give = values(round, comm_.rank(), ranks * each);
        std::vector<int> take(ranks * each, -1);
        const typed_buffer first{give.data(), static_cast<MPI_Count>(each), *find_datatype(MPI_INT)};
        const typed_buffer into{take.data(), static_cast<MPI_Count>(each), *find_datatype(MPI_INT)};
        const bool takes = !rooted || comm_.rank() == root;
        const int mismatch = shared_.exchange(comm_, block_view{first, comm_.size()},
                                              takes ? block_view{into, comm_.size()} : block_view{}, root);
        std::vector<int> expected(ranks * each, -1);
        for (int rank = 0; takes && rank < comm_.size(); ++rank) {
            for (std::size_t at = 0; at < each; ++at) {
                expected[static_cast<std::size_t>(rank) * each + at] =
                    value_of(round, rank, comm_.rank() * static_cast<int>(each) + static_cast<int>(at));
            }
        }
        return mismatch != MPI_PROC_NULL || take != expected ? 1 : 0;
    }

    in_process_collective &shared_;
    communicator &comm_;
    dice chance_;
};

/// Made by the rank that asks first.
class shared_by_all {
  public:
    explicit shared_by_all(const std::vector<int> &groups) : groups_{groups} {}
    in_process_collective &of(const communicator &comm) {
        std::call_once(once_, [&] { made_ = std::make_unique<in_process_collective>(groups_, comm); });
        return *made_;
    }

  private:
    const std::vector<int> &groups_;
    std::once_flag once_;
    std::unique_ptr<in_process_collective> made_;
};

class in_process_test : public testing::TestWithParam<shape> {};

} // namespace

TEST_P(in_process_test, gives_each_rank_its_result_in_any_schedule) {
    const auto &[groups, workers] = GetParam();
    std::atomic<int> wrong{0};
    shared_by_all all{groups};
    on_ranks(static_cast<int>(groups.size()), workers, [&](communicator &comm) {
        caller calls{all.of(comm), comm};
        for (int round = 0; round < rounds; ++round) {
            wrong += calls.run(round);
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_P(in_process_test, tells_all_that_sizes_differ_and_goes_on) {
    const auto &[groups, workers] = GetParam();
    const auto ranks = static_cast<int>(groups.size());
    std::atomic<int> told{0}, right{0};
    shared_by_all all{groups};
    on_ranks(ranks, workers, [&](communicator &comm) {
        in_process_collective &shared = all.of(comm);
        for (const std::size_t count : {comm.rank() == 1 ? std::size_t{3} : std::size_t{4}, std::size_t{4}}) {
            auto give = values(1, comm.rank(), count);
            std::vector<int> take(count);
            shared.expose(comm, {as_buffer(give), as_buffer(take)});
            const int error = shared.reduce(comm, find_op(MPI_SUM), result_place::everywhere);
            told += error == MPI_ERR_TRUNCATE ? 1 : 0;
            right += error == MPI_SUCCESS && take == sum_of(1, ranks, count) ? 1 : 0;
        }
    });
    EXPECT_EQ(told, ranks);
    EXPECT_EQ(right, ranks);
}

INSTANTIATE_TEST_SUITE_P(shapes, in_process_test,
                         testing::Values(shape{{0, 1}, 0}, shape{{0, 1, 2, 3}, 0}, shape{{0, 0, 0}, 0},
                                         shape{{0, 0, 1, 1, 1}, 0}, shape{{0, 1, 0, 1}, 0},
                                         shape{{0, 0, 0, 0}, 1}, shape{{0, 0, 1, 1}, 2}));
