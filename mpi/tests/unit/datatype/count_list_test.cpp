// SPDX-License-Identifier: Apache-2.0
#include "datatype/count_list.hpp"

#include <gtest/gtest.h>

namespace {

using lisle::count_list;

TEST(count_list, reads_small_and_large_arrays_alike) {
    const int small[] = {3, -4, 2147483647};
    const MPI_Count large[] = {3, -4, MPI_Count{1} << 40};
    const count_list of_small{small}, of_large{large};
    EXPECT_EQ(of_small[0], of_large[0]);
    EXPECT_EQ(of_small[1], of_large[1]);
    EXPECT_EQ(of_small[2], 2147483647);
    EXPECT_EQ(of_large[2], MPI_Count{1} << 40);
}

TEST(count_list, takes_any_integer_as_index) {
    const int small[] = {7, 8};
    const count_list list{small};
    EXPECT_EQ(list[1], 8);
    EXPECT_EQ(list[std::size_t{1}], 8);
    EXPECT_EQ(list[MPI_Count{1}], 8);
}

TEST(count_list, knows_null) {
    EXPECT_TRUE(count_list{}.null());
    EXPECT_TRUE(count_list{static_cast<const int *>(nullptr)}.null());
    const int one = 1;
    EXPECT_FALSE(count_list{&one}.null());
}

} // namespace
