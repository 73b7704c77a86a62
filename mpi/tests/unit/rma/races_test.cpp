// SPDX-License-Identifier: Apache-2.0
// Which accesses count as races: what moments and locks order.
#include <vector>

#include <gtest/gtest.h>

#include "rma/races/finding.hpp"

namespace {

using namespace lisle::rma;

constexpr access_record access(int origin, access_kind what, epoch_kind epoch, moment heard, moment told) {
    access_record made{};
    made.origin = made.site = origin;
    made.first = 0;
    made.end = 8;
    made.what = what;
    made.epoch = epoch;
    made.heard = made.called = made.opened = heard;
    made.completed = made.closed = made.told = told;
    return made;
}
constexpr access_record put(int origin, epoch_kind epoch, moment heard, moment told) {
    return access(origin, access_kind::put, epoch, heard, told);
}

std::size_t races_of(std::vector<access_record> accesses, std::vector<exclusive_turn> turns = {}) {
    return find_races(accesses, turns).size();
}

TEST(races, between_fences_need_no_clock) {
    constexpr auto epoch = epoch_kind::fence;
    EXPECT_EQ(races_of({put(1, epoch, 0, 0), put(2, epoch, 10, 11)}), 1u);
    EXPECT_EQ(races_of({put(1, epoch, 0, 0), access(1, access_kind::get, epoch, 10, 11)}), 1u);
    EXPECT_EQ(races_of({access(1, access_kind::get, epoch, 0, 9), access(2, access_kind::get, epoch, 0, 9)}),
              0u);
    EXPECT_EQ(
        races_of({access(1, access_kind::update, epoch, 0, 9), access(2, access_kind::update, epoch, 0, 9)}),
        0u);
    EXPECT_EQ(
        races_of({access(1, access_kind::update, epoch, 0, 9), access(2, access_kind::get, epoch, 0, 9)}),
        1u);
}

TEST(races, under_shared_locks_overlap) {
    constexpr auto epoch = epoch_kind::shared_lock;
    EXPECT_EQ(races_of({put(1, epoch, 0, 10), put(2, epoch, 5, 15)}), 1u);
    EXPECT_EQ(races_of({put(1, epoch, 0, 10), put(2, epoch, 5, never)}), 1u);
    EXPECT_EQ(races_of({put(1, epoch, 0, 10), put(2, epoch, 10, 15)}), 0u); // it may have heard
    access_record elsewhere = put(2, epoch, 5, 15);
    elsewhere.node = 1; // whose clock is another one
    EXPECT_EQ(races_of({put(1, epoch, 0, 10), elsewhere}), 0u);
    access_record behind = put(2, epoch, 5, 15);
    behind.first = 8;
    behind.end = 9;
    EXPECT_EQ(races_of({put(1, epoch, 0, 10), behind}), 0u);
}

TEST(races, exclusive_locks_order) {
    EXPECT_EQ(races_of({put(1, epoch_kind::exclusive_lock, 0, 10), put(2, epoch_kind::shared_lock, 5, 15)}),
              0u);
    // Rank 1 gives its lock back at 4 and says nothing until 20; somebody holds the lock at 6 and gives it to
    // rank 2, which has heard of rank 1 so.
    access_record first = put(1, epoch_kind::shared_lock, 0, 20);
    first.closed = 4;
    access_record second = put(2, epoch_kind::shared_lock, 1, 30);
    second.opened = 8;
    EXPECT_EQ(races_of({first, second}), 1u);
    EXPECT_EQ(races_of({first, second}, {{0, 6}}), 0u);
    EXPECT_EQ(races_of({first, second}, {{1, 6}}), 1u); // of another target
}

TEST(races, exposure_ends_puts) {
    constexpr auto epoch = epoch_kind::exposure;
    access_record one = put(1, epoch, 0, 10), other = put(2, epoch, 20, 30);
    one.opened = other.opened = 7; // one epoch of the target
    EXPECT_EQ(races_of({one, other}), 1u);
    one.what = access_kind::get; // complete, and the other may have heard
    EXPECT_EQ(races_of({one, other}), 0u);
    one.told = 25;
    EXPECT_EQ(races_of({one, other}), 1u);
    other.opened = 8;
    EXPECT_EQ(races_of({one, other}), 0u);
}

TEST(races, of_one_rank_are_parted_by_flushes) {
    constexpr auto epoch = epoch_kind::exclusive_lock;
    EXPECT_EQ(races_of({put(1, epoch, 0, 10), put(1, epoch, 5, 15)}), 1u);
    EXPECT_EQ(races_of({put(1, epoch, 0, 5), put(1, epoch, 6, 15)}), 0u);
}

access_record of_target(access_kind what, moment heard, moment told) {
    access_record made = access(0, what, epoch_kind::local, heard, told);
    made.opened = 0;
    made.called = made.completed = heard;
    return made;
}

TEST(races, loads_and_stores_of_the_target) {
    constexpr auto epoch = epoch_kind::shared_lock;
    EXPECT_EQ(races_of({put(1, epoch, 5, 15), of_target(access_kind::load, 0, 10)}), 1u);
    EXPECT_EQ(races_of({put(1, epoch, 10, 15), of_target(access_kind::load, 0, 10)}),
              0u); // it may have heard
    EXPECT_EQ(races_of({put(1, epoch, 0, 10), of_target(access_kind::store, 10, 20)}), 0u);
    EXPECT_EQ(races_of({access(1, access_kind::get, epoch, 0, 9), of_target(access_kind::load, 0, 9)}), 0u);
    EXPECT_EQ(races_of({access(1, access_kind::get, epoch, 0, 9), of_target(access_kind::store, 0, 9)}), 1u);
    EXPECT_EQ(races_of({of_target(access_kind::store, 0, 9), of_target(access_kind::load, 0, 9)}), 0u);
    access_record alone = of_target(access_kind::store, 0, 9);
    alone.holds_exclusive = true;
    EXPECT_EQ(races_of({put(1, epoch, 0, 9), alone}), 0u);
    access_record exposed = of_target(access_kind::load, 6, 9);
    exposed.opened = 5;
    EXPECT_EQ(races_of({put(1, epoch_kind::exposure, 5, 9), exposed}), 1u);
    exposed.opened = 0; // behind MPI_Win_wait
    EXPECT_EQ(races_of({put(1, epoch_kind::exposure, 5, 9), exposed}), 0u);
}

TEST(races, elements_of_accumulates) {
    access_record a = access(1, access_kind::update, epoch_kind::fence, 0, 9);
    a.element = lisle::basic_type::int32;
    a.element_bytes = 4;
    access_record b = a;
    b.origin = b.site = 2;
    EXPECT_EQ(races_of({a, b}), 0u);
    access_record shifted = b;
    shifted.first += 2;
    EXPECT_EQ(races_of({a, shifted}), 1u);
    b.element = lisle::basic_type::float32;
    EXPECT_EQ(races_of({a, b}), 1u);
}

TEST(races, changes_that_nobody_told_of) {
    const access_record change = of_target(access_kind::change, 0, never);
    access_record get = access(1, access_kind::get, epoch_kind::fence, 0, 9);
    EXPECT_EQ(races_of({get, change}), 1u);
    EXPECT_EQ(races_of({get, change, put(1, epoch_kind::fence, 0, 9)}), 1u); // the get and the put alone
    get.heard_in_epoch = true;
    EXPECT_EQ(races_of({get, change}), 0u);
    get.heard_in_epoch = false;
    EXPECT_EQ(races_of({get, change, of_target(access_kind::left_out, 0, 9)}), 0u);
}

} // namespace
