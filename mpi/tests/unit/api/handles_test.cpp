// SPDX-License-Identifier: Apache-2.0
// Handles as integers and back [MPI-5.0 19.3.4]: predefined ones keep their value in the binary interface,
// made ones come back as themselves, and what is no handle becomes the null handle.
#include "api/convert.hpp"

#include <climits>
#include <vector>

#include <gtest/gtest.h>

#include "../abi/world_of_one.hpp"

namespace lisle::api {
namespace {

class handles : public world_of_one {};

TEST_F(handles, of_made_objects_come_back) {
    std::vector<MPI_Datatype> types(300);
    std::vector<int> numbers;
    for (std::size_t at = 0; at != types.size(); ++at) {
        ASSERT_EQ(MPI_Type_contiguous(static_cast<int>(at) + 1, MPI_INT, &types[at]), MPI_SUCCESS);
        numbers.push_back(type_toint(types[at]));
    }
    for (std::size_t at = 0; at != types.size(); ++at) {
        EXPECT_EQ(type_fromint(numbers[at]), types[at]);
        EXPECT_EQ(type_toint(types[at]), numbers[at]) << "an object has one number";
        MPI_Type_free(&types[at]);
    }
    for (const int number : numbers) {
        EXPECT_EQ(type_fromint(number), MPI_DATATYPE_NULL) << "its object has gone";
    }
}

TEST_F(handles, of_one_sort_are_none_of_another) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm), MPI_SUCCESS);
    const int number = comm_toint(comm);
    EXPECT_EQ(comm_fromint(number), comm);
    EXPECT_EQ(type_fromint(number), MPI_DATATYPE_NULL);
    EXPECT_EQ(win_fromint(number), MPI_WIN_NULL);
    EXPECT_EQ(request_fromint(number), MPI_REQUEST_NULL);
    MPI_Comm_free(&comm);
}

TEST_F(handles, predefined_keep_their_values) {
    EXPECT_EQ(comm_fromint(comm_toint(MPI_COMM_WORLD)), MPI_COMM_WORLD);
    EXPECT_EQ(type_fromint(type_toint(MPI_DOUBLE)), MPI_DOUBLE);
    EXPECT_EQ(op_fromint(op_toint(MPI_SUM)), MPI_SUM);
    EXPECT_EQ(errhandler_fromint(errhandler_toint(MPI_ERRORS_RETURN)), MPI_ERRORS_RETURN);
    EXPECT_EQ(group_fromint(group_toint(MPI_GROUP_EMPTY)), MPI_GROUP_EMPTY);
    EXPECT_EQ(info_fromint(info_toint(MPI_INFO_ENV)), MPI_INFO_ENV);
    EXPECT_EQ(message_fromint(message_toint(MPI_MESSAGE_NO_PROC)), MPI_MESSAGE_NO_PROC);
    EXPECT_EQ(comm_fromint(comm_toint(MPI_COMM_NULL)), MPI_COMM_NULL);
    EXPECT_EQ(file_fromint(file_toint(MPI_FILE_NULL)), MPI_FILE_NULL);
    EXPECT_EQ(session_fromint(session_toint(MPI_SESSION_NULL)), MPI_SESSION_NULL);
}

TEST_F(handles, of_no_object_are_null) {
    for (const int number : {-1, INT_MIN, INT_MAX, 1 << 20}) {
        EXPECT_EQ(comm_fromint(number), MPI_COMM_NULL) << number;
        EXPECT_EQ(type_fromint(number), MPI_DATATYPE_NULL) << number;
        EXPECT_EQ(file_fromint(number), MPI_FILE_NULL) << number;
        EXPECT_EQ(group_fromint(number), MPI_GROUP_NULL) << number;
        EXPECT_EQ(session_fromint(number), MPI_SESSION_NULL) << number;
    }
}

} // namespace
} // namespace lisle::api
