// SPDX-License-Identifier: Apache-2.0
// Statuses as the program reads and writes them.
#include "world_of_one.hpp"

namespace {

class status : public world_of_one {
  protected:
    /// What MPI_Get_count and MPI_Get_elements say of this many bytes.
    static MPI_Count count(MPI_Count bytes, MPI_Datatype type) {
        MPI_Status made{};
        MPI_Status_set_elements_c(&made, MPI_BYTE, bytes);
        MPI_Count result = -1;
        EXPECT_EQ(MPI_Get_count_c(&made, type, &result), MPI_SUCCESS);
        return result;
    }
    static MPI_Count elements(MPI_Count bytes, MPI_Datatype type) {
        MPI_Status made{};
        MPI_Status_set_elements_c(&made, MPI_BYTE, bytes);
        MPI_Count result = -1;
        EXPECT_EQ(MPI_Get_elements_c(&made, type, &result), MPI_SUCCESS);
        return result;
    }
};

TEST_F(status, fields) {
    MPI_Status made{};
    int value = 0;
    MPI_Status_set_source(&made, 3);
    MPI_Status_set_tag(&made, 4);
    MPI_Status_set_error(&made, MPI_ERR_TRUNCATE);
    MPI_Status_set_cancelled(&made, 1);
    MPI_Status_set_elements(&made, MPI_INT, 5);
    MPI_Status_get_source(&made, &value);
    EXPECT_EQ(value, 3);
    MPI_Status_get_tag(&made, &value);
    EXPECT_EQ(value, 4);
    MPI_Status_get_error(&made, &value);
    EXPECT_EQ(value, MPI_ERR_TRUNCATE);
    MPI_Test_cancelled(&made, &value);
    EXPECT_EQ(value, 1);
    MPI_Get_count(&made, MPI_INT, &value);
    EXPECT_EQ(value, 5);
}

TEST_F(status, counts) {
    EXPECT_EQ(count(12, MPI_INT), 3);
    EXPECT_EQ(count(13, MPI_INT), MPI_UNDEFINED);
    EXPECT_EQ(count(0, MPI_INT), 0);
    EXPECT_EQ(count(MPI_Count{1} << 40, MPI_DOUBLE), MPI_Count{1} << 37);
    MPI_Status made{};
    MPI_Status_set_elements_c(&made, MPI_BYTE, MPI_Count{1} << 33);
    int small = 0;
    MPI_Get_count(&made, MPI_BYTE, &small);
    EXPECT_EQ(small, MPI_UNDEFINED);
    MPI_Datatype empty = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    EXPECT_EQ(count(0, empty), 0);
    EXPECT_EQ(elements(0, empty), 0);
    MPI_Type_free(&empty);
}

TEST_F(status, elements_of_structures_and_pairs) {
    // Two ints, a double, and twice a pair of short and int.
    const int lengths[] = {2, 1, 2};
    const MPI_Aint places[] = {0, 8, 16};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT_INT};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(3, lengths, places, types, &made);
    MPI_Type_commit(&made);
    const MPI_Count whole = 8 + 8 + 12;
    EXPECT_EQ(elements(whole, made), 7);
    EXPECT_EQ(elements(4, made), 1);
    EXPECT_EQ(elements(16, made), 3);
    EXPECT_EQ(elements(18, made), 4);
    EXPECT_EQ(elements(22, made), 5);
    EXPECT_EQ(elements(whole * 2 + 8, made), 16);
    EXPECT_EQ(elements(6, made), MPI_UNDEFINED);
    EXPECT_EQ(elements(19, made), MPI_UNDEFINED);

    MPI_Status round_trip{};
    for (int wanted = 0; wanted < 30; ++wanted) {
        int told = -1;
        MPI_Status_set_elements(&round_trip, made, wanted);
        MPI_Get_elements(&round_trip, made, &told);
        EXPECT_EQ(told, wanted);
    }
    MPI_Type_free(&made);
}

} // namespace
