// SPDX-License-Identifier: Apache-2.0
// Group algebra against naive lists: random groups of every representation (ranges, short lists, lists
// with an index), and the errors of the calls that name ranks.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "../error_code.hpp"
#include "communicator/predefined.hpp"
#include "world/group_algebra.hpp"

namespace {

using namespace lisle;
using list = std::vector<int>;

bool has(const list &members, int number) {
    return std::find(members.begin(), members.end(), number) != members.end();
}

class group_algebra : public testing::Test {
  protected:
    int draw(int least, int most) { return std::uniform_int_distribution{least, most}(random_); }

    /// Distinct members: sometimes a range, sometimes shuffled, sometimes sparse.
    list draw_members() {
        const int size = draw(0, 3) == 0 ? draw(0, 200) : draw(0, 20);
        const int first = draw(0, 60);
        list members(static_cast<std::size_t>(size));
        switch (draw(0, 3)) {
        case 0: {
            const int stride = draw(0, 1) == 0 ? draw(1, 3) : -draw(1, 3);
            for (int i = 0; i < size; ++i) {
                members[static_cast<std::size_t>(i)] = first + (stride < 0 ? 600 : 0) + i * stride;
            }
            break;
        }
        case 1:
            std::iota(members.begin(), members.end(), first);
            std::shuffle(members.begin(), members.end(), random_);
            break;
        default: {
            std::set<int> chosen;
            while (static_cast<int>(chosen.size()) < size) {
                chosen.insert(draw(0, 400));
            }
            members.assign(chosen.begin(), chosen.end());
            std::shuffle(members.begin(), members.end(), random_);
            break;
        }
        }
        return members;
    }

    std::mt19937 random_{20260721};
};

TEST_F(group_algebra, members_and_ranks_are_inverse) {
    for (int round = 0; round < 500; ++round) {
        const list members = draw_members();
        const group_ref target = make_group(members);
        ASSERT_EQ(target->size(), static_cast<int>(members.size()));
        ASSERT_EQ(target->members(), members);
        for (int rank = 0; rank < target->size(); ++rank) {
            ASSERT_EQ(target->member(rank), members[static_cast<std::size_t>(rank)]);
            ASSERT_EQ(target->rank_of(target->member(rank)), rank);
        }
        for (int probe = 0; probe < 50; ++probe) {
            const int number = draw(-5, 900);
            ASSERT_EQ(target->contains(number), has(members, number)) << number;
        }
    }
}

TEST_F(group_algebra, set_operations_agree_with_lists) {
    for (int round = 0; round < 2000; ++round) {
        const list left = draw_members();
        const list right = draw_members();
        const group_ref a = make_group(left);
        const group_ref b = make_group(right);
        list both;
        list only_left;
        for (const int number : left) {
            (has(right, number) ? both : only_left).push_back(number);
        }
        list all = left;
        std::copy_if(right.begin(), right.end(), std::back_inserter(all),
                     [&](int number) { return !has(left, number); });
        ASSERT_EQ(unite(*a, *b)->members(), all);
        ASSERT_EQ(intersect(*a, *b)->members(), both);
        ASSERT_EQ(subtract(*a, *b)->members(), only_left);

        list sorted_left = left;
        list sorted_right = right;
        std::sort(sorted_left.begin(), sorted_left.end());
        std::sort(sorted_right.begin(), sorted_right.end());
        ASSERT_EQ(compare(*a, *b), left == right                 ? MPI_IDENT
                                   : sorted_left == sorted_right ? MPI_SIMILAR
                                                                 : MPI_UNEQUAL);
        list shuffled = left;
        std::shuffle(shuffled.begin(), shuffled.end(), random_);
        ASSERT_EQ(compare(*a, *make_group(shuffled)), left == shuffled ? MPI_IDENT : MPI_SIMILAR);
    }
}

TEST_F(group_algebra, inclusion_and_exclusion_agree_with_lists) {
    for (int round = 0; round < 1000; ++round) {
        const list members = draw_members();
        const group_ref source = make_group(members);
        list ranks(members.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        std::shuffle(ranks.begin(), ranks.end(), random_);
        ranks.resize(static_cast<std::size_t>(draw(0, static_cast<int>(ranks.size()))));
        list included;
        list excluded;
        for (const int rank : ranks) {
            included.push_back(members[static_cast<std::size_t>(rank)]);
        }
        for (std::size_t rank = 0; rank < members.size(); ++rank) {
            if (!has(ranks, static_cast<int>(rank))) {
                excluded.push_back(members[rank]);
            }
        }
        ASSERT_EQ(include(*source, ranks)->members(), included);
        ASSERT_EQ(exclude(*source, ranks)->members(), excluded);

        list translated(ranks.size());
        const group_ref target = make_group(draw_members());
        translate(*source, ranks, *target, translated);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            ASSERT_EQ(translated[i], target->rank_of(included[i]));
        }
    }
}

TEST_F(group_algebra, ranges_expand_in_order) {
    const group_ref world = group_ref::adopt(new group{0, 20, 1});
    const std::vector<rank_range> ranges{{1, 7, 3}, {19, 14, -2}, {3, 3, 5}, {8, 9, 100}};
    EXPECT_EQ(include_ranges(*world, ranges)->members(), (list{1, 4, 7, 19, 17, 15, 3, 8}));
    EXPECT_EQ(exclude_ranges(*world, ranges)->members(), (list{0, 2, 5, 6, 9, 10, 11, 12, 13, 14, 16, 18}));
    EXPECT_EQ(include_ranges(*world, {})->size(), 0);
    EXPECT_EQ(exclude_ranges(*world, {})->size(), 20);
}

TEST_F(group_algebra, wrong_ranks_are_errors) {
    const group_ref source = group_ref::adopt(new group{0, 5, 1});
    const auto included = [&](list ranks) { return code_of([&] { (void)include(*source, ranks); }); };
    const auto excluded = [&](list ranks) { return code_of([&] { (void)exclude(*source, ranks); }); };
    EXPECT_EQ(included({0, 5}), MPI_ERR_RANK);
    EXPECT_EQ(included({-1}), MPI_ERR_RANK);
    EXPECT_EQ(included({2, 3, 2}), MPI_ERR_RANK);
    EXPECT_EQ(excluded({2, 2}), MPI_ERR_RANK);
    const auto range = [&](rank_range only) {
        return code_of([&] { (void)include_ranges(*source, std::span{&only, 1}); });
    };
    EXPECT_EQ(range({0, 4, 0}), MPI_ERR_ARG);
    EXPECT_EQ(range({0, 4, -1}), MPI_ERR_ARG);
    EXPECT_EQ(range({0, 5, 1}), MPI_ERR_RANK);
    EXPECT_EQ(range({0, 2147483647, 1}), MPI_ERR_RANK);
    EXPECT_EQ(range({4, -2147483647, -1}), MPI_ERR_RANK);
    list translated(1);
    const list outside{5};
    EXPECT_EQ(code_of([&] { translate(*source, outside, *source, translated); }), MPI_ERR_RANK);
    const list nobody{MPI_PROC_NULL};
    translate(*source, nobody, *source, translated);
    EXPECT_EQ(translated[0], MPI_PROC_NULL);
}

TEST_F(group_algebra, equal_lists_are_one_object) {
    const list members{5, 1, 9, 2};
    const group_ref first = make_group(members);
    const group_ref second = make_group(members);
    EXPECT_EQ(first.get(), second.get());
    EXPECT_EQ(first->same_as(*make_group({5, 1, 9, 3})), false);
}

TEST_F(group_algebra, sharing_survives_threads) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&wrong] {
            for (int i = 0; i < 5000; ++i) {
                list members(40);
                std::iota(members.begin(), members.end(), 0);
                std::swap(members[0], members[static_cast<std::size_t>(1 + i % 3)]);
                const group_ref shared = make_group(members);
                if (shared->rank_of(members[0]) != 0 || shared->members() != members) {
                    ++wrong;
                }
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, 0);
}

TEST_F(group_algebra, large_groups_are_cheap) {
    list left(100000);
    std::iota(left.begin(), left.end(), 0);
    std::shuffle(left.begin(), left.end(), random_);
    list right = left;
    std::shuffle(right.begin(), right.end(), random_);
    const group_ref a = make_group(left);
    const group_ref b = make_group(right);
    // With quadratic cost, each of these would take minutes.
    EXPECT_EQ(compare(*a, *b), MPI_SIMILAR);
    EXPECT_EQ(unite(*a, *b)->size(), 100000);
    EXPECT_EQ(subtract(*a, *b)->size(), 0);
    EXPECT_EQ(intersect(*a, *b)->members(), left);
}

TEST(group_handles, freed_ones_are_noticed) {
    const group_ref owner = make_group({4, 2, 7});
    const MPI_Group handle = give_handle(owner);
    EXPECT_EQ(find_group(handle), owner.get());
    EXPECT_TRUE(owner->drop_handle());
    owner->release();
    // The owner still holds the group, but the user has no handle to it any more.
    EXPECT_EQ(find_group(handle), nullptr);
    EXPECT_EQ(give_handle(make_group({})), MPI_GROUP_EMPTY);
    EXPECT_EQ(find_group(MPI_GROUP_EMPTY)->size(), 0);
    EXPECT_EQ(find_group(MPI_GROUP_NULL), nullptr);
}

} // namespace
