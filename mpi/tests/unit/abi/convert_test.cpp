// SPDX-License-Identifier: Apache-2.0
// Handles as integers.
#include <set>
#include <thread>
#include <vector>

#include "world_of_one.hpp"

namespace {

class convert : public world_of_one {};

TEST_F(convert, constants_are_their_own_integers) {
    EXPECT_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    EXPECT_EQ(MPI_Type_toint(MPI_INT), 0x209);
    EXPECT_EQ(MPI_Comm_fromint(0x101), MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)), MPI_SUM);
    EXPECT_EQ(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)), MPI_FILE_NULL);
    EXPECT_EQ(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)), MPI_REQUEST_NULL);
}

TEST_F(convert, objects_keep_their_integer_and_give_it_back) {
    MPI_Info first = MPI_INFO_NULL, second = MPI_INFO_NULL;
    MPI_Info_create(&first);
    MPI_Info_create(&second);
    const int integer = MPI_Info_toint(first);
    EXPECT_GE(integer, 4096);
    EXPECT_EQ(MPI_Info_toint(first), integer);
    EXPECT_NE(MPI_Info_toint(second), integer);
    EXPECT_EQ(MPI_Info_fromint(integer), first);
    EXPECT_EQ(MPI_Comm_fromint(integer), MPI_COMM_NULL);

    MPI_Info_free(&first);
    EXPECT_EQ(MPI_Info_fromint(integer), MPI_INFO_NULL);
    MPI_Info third = MPI_INFO_NULL;
    MPI_Info_create(&third);
    EXPECT_EQ(MPI_Info_toint(third), integer);
    MPI_Info_free(&second);
    MPI_Info_free(&third);
}

TEST_F(convert, integers_that_belong_to_nothing) {
    EXPECT_EQ(MPI_Comm_fromint(2000000000), MPI_COMM_NULL);
    EXPECT_EQ(MPI_Comm_fromint(-1), MPI_COMM_NULL);
    EXPECT_EQ(MPI_Type_fromint(-2147483647), MPI_DATATYPE_NULL);
}

TEST_F(convert, any_thread_may_ask) {
    constexpr int threads = 4, rounds = 500;
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
        all.emplace_back([] {
            for (int round = 0; round < rounds; ++round) {
                MPI_Info mine = MPI_INFO_NULL;
                MPI_Info_create(&mine);
                const int integer = MPI_Info_toint(mine);
                ASSERT_EQ(MPI_Info_fromint(integer), mine);
                MPI_Info_free(&mine);
            }
        });
    }
    for (auto &thread : all) {
        thread.join();
    }
}

} // namespace
