// SPDX-License-Identifier: Apache-2.0
#include "collective/block_view.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "datatype/predefined.hpp"

using namespace lisle;
using collective::block_view;

namespace {

int memory[100];
const auto at = [](int index) { return static_cast<void *>(memory + index); };
const datatype &integers() {
    return *find_datatype(MPI_INT);
}

} // namespace

TEST(block_view_test, shows_the_buffers_of_a_list) {
    const std::vector<typed_buffer> list{{at(3), 2, integers()}, {at(50), 0, integers()}};
    const block_view view{list};
    EXPECT_EQ(view.size(), 2);
    EXPECT_EQ(view[0].address, at(3));
    EXPECT_EQ(view[0].count, 2);
    EXPECT_EQ(view[1].address, at(50));
    EXPECT_EQ(view[1].bytes(), 0);
}

TEST(block_view_test, shows_equal_blocks_one_after_the_other) {
    const block_view view{{at(10), 4, integers()}, 3};
    EXPECT_EQ(view.size(), 3);
    EXPECT_EQ(view[0].address, at(10));
    EXPECT_EQ(view[2].address, at(18));
    EXPECT_EQ(view[2].bytes(), 16);
}

TEST(block_view_test, shows_one_buffer_for_all) {
    const block_view view = block_view::repeated({at(7), 5, integers()}, 1000);
    EXPECT_EQ(view.size(), 1000);
    EXPECT_EQ(view[0].address, at(7));
    EXPECT_EQ(view[999].address, at(7));
    EXPECT_EQ(view[999].count, 5);
}

TEST(block_view_test, shows_what_counts_and_displacements_say) {
    const int counts[] = {3, 0, 2}, places[] = {20, 90, -10};
    const block_view small{{at(50), 0, integers()}, count_list{counts}, count_list{places}, 3};
    const MPI_Count long_counts[] = {3, 0, 2}, long_places[] = {20, 90, -10};
    const block_view large{{at(50), 0, integers()}, count_list{long_counts}, count_list{long_places}, 3};
    for (const block_view &view : {small, large}) {
        EXPECT_EQ(view.size(), 3);
        EXPECT_EQ(view[0].address, at(70));
        EXPECT_EQ(view[0].count, 3);
        EXPECT_EQ(view[1].count, 0);
        EXPECT_EQ(view[2].address, at(40));
        EXPECT_EQ(view[2].bytes(), 8);
    }
}

TEST(block_view_test, shows_nothing) {
    EXPECT_EQ(block_view{}.size(), 0);
    EXPECT_EQ(block_view{std::vector<typed_buffer>{}}.size(), 0);
}
