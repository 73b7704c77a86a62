// SPDX-License-Identifier: Apache-2.0
// What all parts of the tool interface share: strings, indices, names and handles.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "../abi/world_of_one.hpp"
#include "../error_code.hpp"
#include "tool/interface.hpp"

using namespace lisle;

namespace {

struct tool_interface : world_of_one {};

} // namespace

TEST_F(tool_interface, strings_are_cut_to_the_room_there_is_and_the_whole_length_is_told) {
    char text[] = "########";
    int length = 4;
    tool::store_string("eager", text, &length);
    EXPECT_STREQ(text, "eag");
    EXPECT_EQ(text[4], '#') << "nothing is written behind the room";
    EXPECT_EQ(length, 6);
    tool::store_string("eager", text, &length);
    EXPECT_STREQ(text, "eager");
    EXPECT_EQ(length, 6);
}

TEST_F(tool_interface, only_the_length_is_told_where_there_is_no_room) {
    char text[] = "#";
    int length = 0;
    tool::store_string("eager", text, &length);
    EXPECT_EQ(text[0], '#');
    EXPECT_EQ(length, 6);
    length = 3;
    tool::store_string("eager", nullptr, &length);
    EXPECT_EQ(length, 6);
    tool::store_string("eager", text, nullptr);
    EXPECT_EQ(text[0], '#');
}

TEST_F(tool_interface, indices_outside_a_table_are_refused) {
    for (const int bad : {-1, 3, 4}) {
        EXPECT_EQ(code_of([bad] { tool::check_index(bad, 3); }), MPI_T_ERR_INVALID_INDEX) << bad;
    }
    EXPECT_EQ(code_of([] { tool::check_index(0, 3); }), MPI_SUCCESS);
    EXPECT_EQ(code_of([] { tool::check_index(2, 3); }), MPI_SUCCESS);
    EXPECT_EQ(code_of([] { tool::check_index(0, 0); }), MPI_T_ERR_INVALID_INDEX);
}

TEST_F(tool_interface, rows_are_found_by_their_whole_name) {
    struct row {
        std::string name;
    };
    const std::vector<row> table{{"one"}, {"two"}};
    EXPECT_EQ(tool::index_of(table, "two"), 1);
    EXPECT_EQ(code_of([&] { (void)tool::index_of(table, "tw"); }), MPI_T_ERR_INVALID_NAME);
}

TEST_F(tool_interface, handles_are_valid_until_their_object_is_removed) {
    tool::handle_list<int> list;
    int *const one = list.add(std::make_unique<int>(1));
    int *const two = list.add(std::make_unique<int>(2));
    EXPECT_EQ(&list.find(one, MPI_T_ERR_INVALID_HANDLE), one);
    list.remove(*one);
    EXPECT_EQ(code_of([&] { list.find(one, MPI_T_ERR_INVALID_HANDLE); }), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(list.find(two, MPI_T_ERR_INVALID_HANDLE), 2);
    list.remove_if([](int value) { return value == 2; });
    list.each([](int) { FAIL() << "the list is empty"; });
    EXPECT_EQ(code_of([&] { list.find(nullptr, MPI_T_ERR_INVALID_SESSION); }), MPI_T_ERR_INVALID_SESSION);
}

TEST_F(tool_interface, calls_need_an_initialization_that_is_not_ended) {
    EXPECT_EQ(code_of(tool::require_initialized), MPI_T_ERR_NOT_INITIALIZED);
    int provided = 0;
    ASSERT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    ASSERT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    ASSERT_EQ(MPI_T_finalize(), MPI_SUCCESS);
    EXPECT_EQ(code_of(tool::require_initialized), MPI_SUCCESS) << "two begins, one end";
    ASSERT_EQ(MPI_T_finalize(), MPI_SUCCESS);
    EXPECT_EQ(code_of(tool::require_initialized), MPI_T_ERR_NOT_INITIALIZED);
}
