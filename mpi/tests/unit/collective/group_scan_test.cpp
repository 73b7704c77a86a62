// SPDX-License-Identifier: Apache-2.0
#include "collective/process/group_scan.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "datatype/predefined.hpp"

using namespace lisle;
using collective::group_scan;
using collective::scan_part;
using collective::scan_ring;

namespace {

const datatype &integers() {
    return *find_datatype(MPI_INT);
}

/// One int that is given, and where the result goes.
struct number {
    explicit number(int given) : give{given} {}

    scan_part part(bool exclusive = false) {
        const typed_buffer result{&take, 1, integers()};
        return {&give, result, result.bytes(), find_op(MPI_SUM), exclusive};
    }

    int give, take = -1;
};

} // namespace

TEST(group_scan_test, adds_at_once_what_comes_in_order) {
    group_scan table{3, nullptr, nullptr};
    std::vector<number> numbers{number{1}, number{20}, number{300}};
    for (std::size_t member = 0; member < 3; ++member) {
        const auto now = table.add(member, numbers[member].part());
        EXPECT_TRUE(now.done);
        EXPECT_FALSE(now.mismatch);
    }
    EXPECT_EQ(numbers[0].take, 1);
    EXPECT_EQ(numbers[1].take, 21);
    EXPECT_EQ(numbers[2].take, 321);
}

TEST(group_scan_test, keeps_what_comes_before_its_turn) {
    group_scan table{3, nullptr, nullptr};
    std::vector<number> numbers{number{1}, number{20}, number{300}};
    EXPECT_FALSE(table.add(2, numbers[2].part(true)).done);
    EXPECT_FALSE(table.add(1, numbers[1].part(true)).done);
    EXPECT_FALSE(table.look(1).done);
    const auto first = table.add(0, numbers[0].part(true));
    EXPECT_TRUE(first.done);
    EXPECT_TRUE(first.news) << "others wait for it";
    EXPECT_TRUE(table.look(1).done);
    EXPECT_TRUE(table.look(2).done);
    EXPECT_EQ(numbers[0].take, -1) << "nothing comes before the first one";
    EXPECT_EQ(numbers[1].take, 1);
    EXPECT_EQ(numbers[2].take, 21);
}

TEST(group_scan_test, lets_a_member_run_ahead_until_there_is_no_room) {
    group_scan table{2, nullptr, nullptr};
    number first{5}, second{7};
    int ahead = 0;
    while (table.add(0, first.part()).done) {
        ASSERT_LT(++ahead, 100);
    }
    EXPECT_GT(ahead, 1);
    EXPECT_FALSE(table.look(0).done);
    EXPECT_TRUE(table.add(1, second.part()).done);
    EXPECT_EQ(second.take, 12);
    EXPECT_TRUE(table.look(0).done) << "the oldest scan has ended and left its room";
}

TEST(group_scan_test, computes_in_place) {
    group_scan table{2, nullptr, nullptr};
    std::array<int, 2> data{3, 4};
    const auto part = [&](std::size_t member, bool exclusive) {
        const typed_buffer both{&data[member], 1, integers()};
        return scan_part{both.address, both, both.bytes(), find_op(MPI_SUM), exclusive};
    };
    EXPECT_TRUE(table.add(0, part(0, false)).done);
    EXPECT_TRUE(table.add(1, part(1, false)).done);
    EXPECT_EQ(data, (std::array{3, 7}));
    EXPECT_TRUE(table.add(0, part(0, true)).done);
    EXPECT_TRUE(table.add(1, part(1, true)).done);
    EXPECT_EQ(data, (std::array{3, 3}));
}

TEST(group_scan_test, hands_on_to_the_next_group) {
    const auto between = std::make_unique<scan_ring>();
    group_scan here{2, nullptr, between.get()}, there{1, between.get(), nullptr};
    std::vector<number> numbers{number{1}, number{20}, number{300}};
    EXPECT_FALSE(there.add(0, numbers[2].part()).done);
    EXPECT_TRUE(here.add(0, numbers[0].part()).done);
    EXPECT_FALSE(there.look(0).done);
    EXPECT_TRUE(here.add(1, numbers[1].part()).done);
    EXPECT_TRUE(there.look(0).done);
    EXPECT_EQ(numbers[2].take, 321);
    int ahead = 0;
    while (here.add(0, numbers[0].part()).done && here.add(1, numbers[1].part()).done) {
        ASSERT_LT(++ahead, 100);
    }
    EXPECT_GT(ahead, 1);
}

TEST(group_scan_test, tells_those_who_come_later_that_sizes_differ) {
    const auto between = std::make_unique<scan_ring>();
    group_scan here{3, nullptr, between.get()}, there{1, between.get(), nullptr};
    std::vector<number> numbers{number{1}, number{2}, number{3}, number{4}};
    scan_part short_one = numbers[1].part();
    short_one.bytes = 0;
    short_one.take.count = 0;
    EXPECT_FALSE(here.add(0, numbers[0].part()).mismatch);
    EXPECT_TRUE(here.add(1, short_one).mismatch);
    EXPECT_TRUE(here.add(2, numbers[2].part()).mismatch);
    EXPECT_TRUE(there.add(0, numbers[3].part()).mismatch);
    EXPECT_EQ(numbers[3].take, -1);
    // The next scan is one as any other.
    EXPECT_FALSE(here.add(0, numbers[0].part()).mismatch);
    EXPECT_FALSE(here.add(1, numbers[1].part()).mismatch);
    EXPECT_EQ(numbers[1].take, 3);
}
