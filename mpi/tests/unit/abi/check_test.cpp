// SPDX-License-Identifier: Apache-2.0
// What the entry points refuse, and how the library answers for what it does not have.
#include "abi/check.hpp"

#include <climits>
#include <string>

#include "world_of_one.hpp"

namespace {

using namespace lisle;
using namespace lisle::abi;

/// The code and the sentence that a check throws; MPI_SUCCESS if it throws nothing.
template <class Check> mpi_error caught(Check check) {
    try {
        check();
    } catch (const mpi_error &error) {
        return error;
    }
    return {MPI_SUCCESS, ""};
}

class check : public world_of_one {};

TEST_F(check, null_handles_are_named) {
    EXPECT_EQ(caught([] { (void)to_communicator(MPI_COMM_NULL, "comm"); }).code(), MPI_ERR_COMM);
    EXPECT_EQ(caught([] { (void)to_group(MPI_GROUP_NULL, "group"); }).code(), MPI_ERR_GROUP);
    EXPECT_EQ(caught([] { (void)to_datatype(MPI_DATATYPE_NULL, "type"); }).code(), MPI_ERR_TYPE);
    EXPECT_EQ(caught([] { (void)to_op(MPI_OP_NULL, "op"); }).code(), MPI_ERR_OP);
    EXPECT_EQ(caught([] { (void)to_errhandler(MPI_ERRHANDLER_NULL, "e"); }).code(), MPI_ERR_ERRHANDLER);
    EXPECT_EQ(caught([] { (void)to_info(MPI_INFO_NULL, "info"); }).code(), MPI_ERR_INFO);
    EXPECT_EQ(caught([] { (void)to_request(MPI_REQUEST_NULL, "request"); }).code(), MPI_ERR_REQUEST);
    EXPECT_STREQ(caught([] { (void)to_op(MPI_OP_NULL, "op"); }).what(), "op is MPI_OP_NULL");
    EXPECT_EQ(to_info_or_null(MPI_INFO_NULL, "info"), nullptr);
    EXPECT_EQ(to_request_or_null(MPI_REQUEST_NULL, "request"), nullptr);
    EXPECT_EQ(to_communicator_or_null(MPI_COMM_NULL, "comm"), nullptr);
}

TEST_F(check, constants_of_another_sort_are_refused) {
    EXPECT_EQ(caught([] { (void)to_communicator(reinterpret_cast<MPI_Comm>(MPI_INT), "comm"); }).code(),
              MPI_ERR_COMM);
    EXPECT_EQ(caught([] { (void)to_datatype(reinterpret_cast<MPI_Datatype>(MPI_SUM), "type"); }).code(),
              MPI_ERR_TYPE);
    EXPECT_EQ(caught([] { (void)to_op(nullptr, "op"); }).code(), MPI_ERR_OP);
    EXPECT_EQ(caught([] { (void)to_communicator(reinterpret_cast<MPI_Comm>(0x7ff), "comm"); }).code(),
              MPI_ERR_COMM);
}

TEST_F(check, objects_of_another_sort_are_refused) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    ASSERT_EQ(MPI_Type_contiguous(3, MPI_INT, &type), MPI_SUCCESS);
    EXPECT_EQ(caught([&] { (void)to_communicator(reinterpret_cast<MPI_Comm>(type), "comm"); }).code(),
              MPI_ERR_COMM);
    EXPECT_EQ(caught([&] { (void)to_committed(type, "type"); }).code(), MPI_ERR_TYPE);
    MPI_Type_commit(&type);
    EXPECT_EQ(caught([&] { (void)to_committed(type, "type"); }).code(), MPI_SUCCESS);
    MPI_Type_free(&type);
    EXPECT_EQ(type, MPI_DATATYPE_NULL);
}

TEST_F(check, ignored_types_may_be_anything) {
    EXPECT_EQ(&to_committed_if(false, MPI_DATATYPE_NULL, "type"), &to_datatype(MPI_BYTE, "type"));
    EXPECT_EQ(caught([] { (void)to_committed_if(true, MPI_DATATYPE_NULL, "type"); }).code(), MPI_ERR_TYPE);
}

TEST_F(check, ranks) {
    const communicator &world = to_communicator(MPI_COMM_WORLD, "comm");
    for (const int good : {0, int{MPI_PROC_NULL}}) {
        EXPECT_EQ(caught([&] { check_dest(world, good, "dest"); }).code(), MPI_SUCCESS);
        EXPECT_EQ(caught([&] { check_source(world, good, "source"); }).code(), MPI_SUCCESS);
    }
    EXPECT_EQ(caught([&] { check_source(world, MPI_ANY_SOURCE, "source"); }).code(), MPI_SUCCESS);
    for (const int bad : {1, INT_MAX, INT_MIN, int{MPI_ANY_SOURCE}, int{MPI_ROOT}}) {
        EXPECT_EQ(caught([&] { check_dest(world, bad, "dest"); }).code(), MPI_ERR_RANK) << bad;
    }
    for (const int bad : {1, int{MPI_PROC_NULL}, int{MPI_ROOT}, int{MPI_ANY_SOURCE}}) {
        EXPECT_EQ(caught([&] { check_root(world, bad, "root"); }).code(), MPI_ERR_ROOT) << bad;
    }
    EXPECT_STREQ(caught([&] { check_dest(world, 7, "dest"); }).what(),
                 "rank 7 is outside MPI_COMM_WORLD, which has 1 rank");
}

TEST_F(check, numbers_tags_and_buffers) {
    EXPECT_EQ(caught([] { check_not_negative(-1, "count"); }).code(), MPI_ERR_COUNT);
    EXPECT_EQ(caught([] { check_not_negative(0, "count"); }).code(), MPI_SUCCESS);
    EXPECT_EQ(caught([] { check_tag(MPI_ANY_TAG, "tag"); }).code(), MPI_ERR_TAG);
    EXPECT_EQ(caught([] { check_tag(INT_MAX, "tag"); }).code(), MPI_SUCCESS);
    EXPECT_EQ(caught([] { check_tag_or_any(MPI_ANY_TAG, "tag"); }).code(), MPI_SUCCESS);
    EXPECT_EQ(caught([] { check_tag_or_any(-1, "tag"); }).code(), MPI_ERR_TAG);
    EXPECT_EQ(caught([] { check_buffer(nullptr, 1, MPI_INT, "buf"); }).code(), MPI_ERR_BUFFER);
    EXPECT_EQ(caught([] { check_buffer(nullptr, 0, MPI_INT, "buf"); }).code(), MPI_SUCCESS);
}

TEST_F(check, results_that_do_not_fit) {
    int small = 0;
    store_or_undefined(MPI_Count{INT_MAX} + 1, &small);
    EXPECT_EQ(small, MPI_UNDEFINED);
    store_or_undefined(MPI_UNDEFINED, &small);
    EXPECT_EQ(small, MPI_UNDEFINED);
    store_or_undefined(INT_MAX, &small);
    EXPECT_EQ(small, INT_MAX);
    EXPECT_EQ(caught([&] { store_or_fail(MPI_Count{INT_MAX} + 1, &small, "size"); }).code(),
              MPI_ERR_VALUE_TOO_LARGE);
}

TEST_F(check, arguments_that_mean_nothing_are_not_looked_at) {
    int value = 5, sum = 0;
    EXPECT_EQ(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, &value, 1, MPI_INT, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, &value, 1, MPI_INT, 0, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Gather(&value, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD) ==
                  MPI_SUCCESS,
              false);
}

TEST_F(check, exceptions_become_codes) {
    const auto raised = [](auto thrown) {
        try {
            throw thrown;
        } catch (const std::exception &error) {
            return hear(static_cast<communicator *>(nullptr), "MPI_X", error).tell();
        }
    };
    EXPECT_EQ(raised(mpi_error{MPI_ERR_TAG, "a sentence"}), MPI_ERR_TAG);
    EXPECT_EQ(raised(std::bad_alloc{}), MPI_ERR_NO_MEM);
    EXPECT_THROW(raised(std::runtime_error{"of the user"}), std::runtime_error);
}

TEST_F(check, calls_that_are_not_there_are_errors) {
    EXPECT_THROW(fail_unsupported(), mpi_error);
    try {
        fail_unsupported();
    } catch (const std::exception &error) {
        EXPECT_EQ(hear_of_file(nullptr, "MPI_X", error).tell(), MPI_ERR_UNSUPPORTED_OPERATION);
    }
}

} // namespace
