// SPDX-License-Identifier: Apache-2.0
#include "communicator/context.hpp"

#include <gtest/gtest.h>
#include <set>

#include "fabric/track_count.hpp"
#include "world/job_shape.hpp"
#include "world/process_id.hpp"

using namespace lisle;

TEST(context, tells_its_origin_in_jobs_of_every_size) {
    for (const int size : {1, 2, 255, 256, 257, 1000, 65536, most_ranks_of_job}) {
        const auto last = static_cast<std::uint64_t>(size) - 1;
        std::set<std::uint64_t> all;
        for (const std::uint64_t owner : {std::uint64_t{0}, last / 2, last}) {
            for (const std::uint64_t count :
                 {std::uint64_t{0}, std::uint64_t{77}, contexts_of_rank(size) - 1}) {
                for (int track = 0; track < fabric::most_tracks; ++track) {
                    const context_origin origin{
                        .job = 0xbeef, .owner = owner, .count = count, .track = track};
                    const std::uint64_t context = make_context(origin, size);
                    EXPECT_EQ(origin_of(context, size), origin) << size;
                    EXPECT_EQ(context % contexts_per_communicator, 0U);
                    all.insert(context);
                }
            }
        }
        EXPECT_EQ(all.size(), (size > 2 ? 3U : static_cast<unsigned>(size)) * 3 * fabric::most_tracks);
        EXPECT_GE(contexts_of_rank(size), std::uint64_t{1} << 19);
    }
}

TEST(context, of_another_job_is_another_one) {
    const context_origin mine{.job = 1, .owner = 3, .count = 5, .track = 0};
    context_origin other = mine;
    other.job = 2;
    EXPECT_NE(make_context(mine, 8), make_context(other, 8));
    EXPECT_TRUE(plausible_context(make_context(mine, 8), 8, 1));
    EXPECT_FALSE(plausible_context(make_context(other, 8), 8, 1));
}

TEST(context, is_plausible_only_from_a_rank_that_there_is) {
    const context_origin origin{.job = 1, .owner = 3, .count = 5, .track = 0};
    EXPECT_FALSE(plausible_context(make_context(origin, 8), 3, 1));
    EXPECT_FALSE(plausible_context(make_context(origin, 8) + 1, 8, 1));
    EXPECT_FALSE(plausible_context(world_context, 8, 1));
}

TEST(context, carries_a_part_of_the_job_that_is_never_that_of_the_world) {
    EXPECT_NE(context_part_of(job_id{0x10000}), 0U);
    EXPECT_EQ(context_part_of(job_id{0x12345}), 0x2345U);
}
