// SPDX-License-Identifier: Apache-2.0
// Info objects, the calls' treatment of lengths, and communicator hints.
#include <gtest/gtest.h>

#include <cstring>

#include "../error_code.hpp"
#include "api/info.hpp"
#include "communicator/hints.hpp"

namespace {

using namespace lisle;

TEST(info, keeps_the_order_of_keys) {
    info target;
    target.set("zebra", "1");
    target.set("ape", "2");
    target.set("zebra", "3");
    EXPECT_EQ(target.size(), 2);
    EXPECT_EQ(target.key(0), "zebra");
    EXPECT_EQ(target.key(1), "ape");
    EXPECT_EQ(target.get("zebra"), "3");
    const info copy{target};
    target.erase("zebra");
    EXPECT_EQ(target.get("zebra"), std::nullopt);
    EXPECT_EQ(target.key(0), "ape");
    EXPECT_EQ(copy.size(), 2);
}

TEST(info, checks_lengths_and_keys) {
    info target;
    EXPECT_EQ(code_of([&] { target.set("", "x"); }), MPI_ERR_INFO_KEY);
    EXPECT_EQ(code_of([&] { target.set(std::string(MPI_MAX_INFO_KEY, 'k'), "x"); }), MPI_ERR_INFO_KEY);
    EXPECT_EQ(code_of([&] { target.set("k", std::string(MPI_MAX_INFO_VAL, 'v')); }), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(code_of([&] { target.set(std::string(MPI_MAX_INFO_KEY - 1, 'k'), "x"); }), MPI_SUCCESS);
    EXPECT_EQ(code_of([&] { target.set("k", std::string(MPI_MAX_INFO_VAL - 1, 'v')); }), MPI_SUCCESS);
    EXPECT_EQ(code_of([&] { target.erase("none"); }), MPI_ERR_INFO_NOKEY);
    EXPECT_EQ(code_of([&] { (void)target.key(2); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] { (void)target.key(-1); }), MPI_ERR_ARG);
}

TEST(info_calls, fill_no_more_than_there_is_room_for) {
    info target;
    target.set("key", "value");
    char room[16];
    int flag = 0;
    std::memset(room, '#', sizeof room);
    api::info_get(&target, "key", 3, room, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(room, "val");
    EXPECT_EQ(room[4], '#');

    int length = 0;
    api::info_get_string(&target, "key", &length, nullptr, &flag);
    EXPECT_EQ(length, 6);
    std::memset(room, '#', sizeof room);
    length = 3;
    api::info_get_string(&target, "key", &length, room, &flag);
    EXPECT_STREQ(room, "va");
    EXPECT_EQ(room[3], '#');
    EXPECT_EQ(length, 6);
    length = 16;
    api::info_get_string(&target, "other", &length, room, &flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(length, 16);
    api::info_get_valuelen(&target, "key", &length, &flag);
    EXPECT_EQ(length, 5);
}

TEST(hints, apply_what_they_know) {
    communicator_hints hints;
    info given;
    given.set("mpi_assert_no_any_tag", "true");
    given.set("somebody_elses_hint", "7");
    hints.apply(given);
    EXPECT_TRUE(hints.holds(assertion::no_any_tag));
    EXPECT_FALSE(hints.holds(assertion::no_any_source));
    info told;
    hints.describe(told);
    EXPECT_EQ(told.get("mpi_assert_no_any_tag"), "true");
    EXPECT_EQ(told.get("mpi_assert_exact_length"), "false");
    EXPECT_EQ(told.get("somebody_elses_hint"), std::nullopt);
    given.set("mpi_assert_no_any_tag", "maybe");
    EXPECT_EQ(code_of([&] { hints.apply(given); }), MPI_ERR_INFO_VALUE);
    EXPECT_TRUE(hints.holds(assertion::no_any_tag));
}

} // namespace
