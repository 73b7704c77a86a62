// SPDX-License-Identifier: Apache-2.0
// The shared-memory collective area alone: ranks take its steps in random orders of operations and sizes, and
// stop now and then. Each post says which operation and rank it is of, so one that is written too early, or
// read too late, is noticed.
#include "collective/area/collective_area.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "collective/steps/local_steps.hpp"
#include "datatype/predefined.hpp"
#include "inside.hpp"

using namespace lisle;
using namespace lisle::collective;

namespace {

constexpr int rounds = 3000;

std::byte mark_of(std::uint64_t number, int rank, std::size_t at) {
    return static_cast<std::byte>(number * 31 + static_cast<std::uint64_t>(rank) * 7 + at);
}

std::vector<std::byte> data_of(std::uint64_t number, int rank, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    for (std::size_t at = 0; at < bytes; ++at) {
        data[at] = mark_of(number, rank, at);
    }
    return data;
}

typed_buffer as_buffer(std::vector<std::byte> &data) {
    return {data.data(), static_cast<MPI_Count>(data.size()), byte_type()};
}

/// One operation in which the ranks in `posts` post and those in `reads` read what they have posted.
struct exchange {
    std::size_t bytes;
    bool one_way;
    std::vector<bool> posts, reads;
};

exchange draw(dice &chance, int ranks) {
    constexpr std::array<std::size_t, 10> sizes{0, 1, 8, 9, 64, 248, 249, 8192, 20000, 34816};
    exchange drawn{sizes[chance.common(sizes.size())], chance.common(2) == 0, {}, {}};
    const auto all = static_cast<std::size_t>(ranks);
    drawn.posts.resize(all);
    drawn.reads.resize(all);
    const unsigned kind = chance.common(3), root = chance.common(static_cast<unsigned>(ranks));
    for (unsigned rank = 0; rank < all; ++rank) {
        drawn.posts[rank] = kind == 0 || (kind == 1) == (rank == root);
        drawn.reads[rank] = kind == 0 || (kind == 1) != (rank == root);
    }
    drawn.one_way = drawn.one_way && kind == 1; // no rank waits for one that waits for it
    return drawn;
}

/// @return how many posts were not what their rank had posted
int run_exchange(collective_area &area, const exchange &what, dice &chance) {
    const auto self = static_cast<std::size_t>(area.members().self());
    if (!area.takes(static_cast<MPI_Count>(what.bytes))) {
        return 1;
    }
    local_steps steps{&area};
    const std::uint64_t number = steps.number();
    const auto place = collective_area::place_of(static_cast<MPI_Count>(what.bytes), what.one_way);
    steps.finish(enter_step{place, what.posts[self]});
    auto mine = data_of(number, area.members().self(), what.bytes);
    if (what.posts[self]) {
        steps.take(post_step{as_buffer(mine), area_members::everyone, true});
    }
    int wrong = 0;
    for (int peer = 0; what.reads[self] && peer < area.members().count(); ++peer) {
        if (!what.posts[static_cast<std::size_t>(peer)]) {
            continue;
        }
        steps.finish(await_posts_step{peer, peer + 1});
        chance.pause();
        std::vector<std::byte> taken(what.bytes);
        steps.take(take_step{as_buffer(taken), peer, 0, static_cast<std::uint32_t>(what.bytes)});
        wrong += taken != data_of(number, peer, what.bytes) ? 1 : 0;
    }
    wrong += steps.error() != MPI_SUCCESS ? 1 : 0;
    chance.pause();
    steps.take(finish_step{false});
    return wrong;
}

std::unique_ptr<collective_area> area_of(const communicator &comm) {
    return collective_area::make(comm, comm.local_group(), comm.rank(), keys_of(comm.context()));
}

class collective_area_test : public testing::TestWithParam<std::pair<int, int>> {};

} // namespace

TEST_P(collective_area_test, delivers_every_post_whole_in_any_schedule) {
    std::atomic<int> wrong{0};
    const auto [ranks, workers] = GetParam();
    on_ranks(ranks, workers, [&, ranks = ranks](communicator &comm) {
        const auto area = area_of(comm);
        dice chance{7, comm.rank()};
        for (int round = 0; round < rounds; ++round) {
            wrong += run_exchange(*area, draw(chance, ranks), chance);
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_P(collective_area_test, lets_nobody_reuse_a_buffer_that_others_still_use) {
    std::atomic<int> wrong{0};
    const auto [ranks, workers] = GetParam();
    on_ranks(ranks, workers, [&](communicator &comm) {
        const auto area = area_of(comm);
        dice chance{11, comm.rank()};
        std::vector<std::byte> mine(5000), taken(5000);
        for (int round = 0; round < rounds / 4; ++round) {
            local_steps steps{area.get()};
            const std::uint64_t number = steps.number();
            mine = data_of(number, comm.rank(), mine.size());
            steps.finish(enter_step{collective_area::place::slot, true});
            steps.take(expose_step{{as_buffer(mine), {}, nullptr}});
            for (int peer = 0; peer < area->members().count(); ++peer) {
                if (peer != area->members().self()) {
                    steps.finish(await_posts_step{peer, peer + 1});
                    chance.pause();
                    steps.take(read_step{as_buffer(taken), 0, static_cast<MPI_Count>(taken.size()), peer,
                                         exposed_part::whole});
                    wrong += taken != data_of(number, peer, taken.size()) ? 1 : 0;
                }
            }
            steps.take(finish_step{true});
            steps.finish(await_finished_step{0, area->members().count()});
            std::fill(mine.begin(), mine.end(), std::byte{0xee}); // must not be seen by anybody
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(collective_area_test, says_who_posted_another_size_than_is_expected) {
    std::atomic<int> complaints{0};
    on_ranks(2, 0, [&](communicator &comm) {
        const auto area = area_of(comm);
        local_steps steps{area.get()};
        std::vector<std::byte> mine(comm.rank() == 0 ? 16 : 24), taken(16);
        steps.finish(enter_step{collective_area::place::slot, true});
        steps.take(post_step{as_buffer(mine), area_members::everyone, false});
        steps.finish(await_posts_step{0, 2});
        steps.take(take_step{as_buffer(taken), 1 - comm.rank(), 0, 16});
        if (steps.error() == MPI_ERR_TRUNCATE && steps.failed_peer() == 1) {
            ++complaints;
        }
        steps.take(finish_step{true});
        // Nobody leaves before the other has looked.
        steps.finish(await_finished_step{0, 2});
    });
    EXPECT_EQ(complaints, 1) << "rank 0 expects 16 bytes and finds 24";
}

INSTANTIATE_TEST_SUITE_P(ranks, collective_area_test,
                         testing::Values(std::pair{2, 0}, std::pair{3, 0}, std::pair{5, 0}, std::pair{5, 2}));
