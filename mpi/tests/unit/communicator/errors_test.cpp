// SPDX-License-Identifier: Apache-2.0
// Error codes that a program adds, and what error handlers do.
#include <gtest/gtest.h>

#include <cstring>

#include "../error_code.hpp"
#include "api/errhandler.hpp"
#include "base/error.hpp"
#include "communicator/error_codes.hpp"
#include "communicator/predefined.hpp"
#include "execution/rank.hpp"

namespace {

using namespace lisle;

TEST(error_codes, grow_and_shrink) {
    EXPECT_EQ(*last_used_code(), MPI_ERR_LASTCODE);
    const int error_class = add_error_class();
    EXPECT_GT(error_class, MPI_ERR_LASTCODE);
    const int code = add_error_code(error_class);
    const int standard_code = add_error_code(MPI_ERR_RANK);
    EXPECT_EQ(*last_used_code(), standard_code);
    EXPECT_EQ(class_of_error(code), error_class);
    EXPECT_EQ(class_of_error(error_class), error_class);
    EXPECT_EQ(class_of_error(standard_code), MPI_ERR_RANK);
    EXPECT_EQ(text_of_error(code), "");
    add_error_string(code, "too many cooks");
    EXPECT_EQ(text_of_error(code), "too many cooks");
    remove_error_string(code);
    EXPECT_EQ(text_of_error(code), "");

    EXPECT_EQ(code_of([&] { remove_error_class(error_class); }), MPI_ERR_ARG) << "it still has a code";
    EXPECT_EQ(code_of([&] { remove_error_class(code); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] { remove_error_code(error_class); }), MPI_ERR_ARG);
    remove_error_code(standard_code);
    EXPECT_EQ(*last_used_code(), code);
    remove_error_code(code);
    remove_error_class(error_class);
    EXPECT_EQ(*last_used_code(), MPI_ERR_LASTCODE);
    EXPECT_EQ(code_of([&] { (void)class_of_error(code); }), MPI_ERR_ARG);
}

TEST(error_codes, of_the_standard_are_not_the_programs) {
    EXPECT_EQ(class_of_error(MPI_ERR_TRUNCATE), MPI_ERR_TRUNCATE);
    EXPECT_EQ(error_name(MPI_ERR_TRUNCATE), "MPI_ERR_TRUNCATE");
    EXPECT_FALSE(text_of_error(MPI_ERR_TRUNCATE).empty());
    EXPECT_EQ(code_of([] { add_error_string(MPI_ERR_TRUNCATE, "x"); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([] { remove_error_class(MPI_ERR_TRUNCATE); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([] { (void)add_error_code(9999); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([] { (void)class_of_error(-1); }), MPI_ERR_ARG);
}

class errhandlers : public testing::Test {
  protected:
    void SetUp() override {
        create_world({});
        this_rank().phase = world_phase::initialized;
    }
    void TearDown() override {
        destroy_world();
        this_rank().phase = world_phase::before_init;
    }
    communicator &world() { return *predefined->world; }
};

MPI_Comm called_for;
int called_with;

void remember(MPI_Comm *comm, int *code, ...) {
    called_for = *comm;
    called_with = *code;
}

void ignore(MPI_Win *, int *, ...) {}

TEST_F(errhandlers, of_the_user_are_called_and_the_code_returned) {
    MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
    api::comm_create_errhandler(remember, &handle);
    api::comm_set_errhandler(world(), *find_errhandler(handle));
    api::errhandler_free(&handle);
    EXPECT_EQ(handle, MPI_ERRHANDLER_NULL);
    EXPECT_EQ(hear_of_error(&world(), "MPI_Send", mpi_error{MPI_ERR_RANK, "x"}).tell(), MPI_ERR_RANK);
    EXPECT_EQ(called_for, MPI_COMM_WORLD);
    EXPECT_EQ(called_with, MPI_ERR_RANK);

    MPI_Errhandler got = MPI_ERRHANDLER_NULL;
    api::comm_get_errhandler(world(), &got);
    EXPECT_EQ(find_errhandler(got), world().errors.get().get());
    api::comm_call_errhandler(world(), MPI_ERR_TAG);
    EXPECT_EQ(called_with, MPI_ERR_TAG);
    api::errhandler_free(&got);
}

TEST_F(errhandlers, of_communicator_self_hear_what_belongs_to_none) {
    predefined->self->errors.set(errhandler_ref::share(*find_errhandler(MPI_ERRORS_RETURN)));
    EXPECT_EQ(hear_of_error(nullptr, "MPI_Type_commit", mpi_error{MPI_ERR_TYPE, "x"}).tell(), MPI_ERR_TYPE);
    MPI_Errhandler got = MPI_ERRHANDLER_NULL;
    api::comm_get_errhandler(*predefined->self, &got);
    EXPECT_EQ(got, MPI_ERRORS_RETURN);
    for (int i = 0; i < 10; ++i) {
        MPI_Errhandler freed = got;
        api::errhandler_free(&freed);
    }
    EXPECT_EQ(find_errhandler(got)->action, errhandler_kind::return_code);
}

TEST_F(errhandlers, for_other_objects_are_refused) {
    MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
    api::win_create_errhandler(ignore, &handle);
    EXPECT_EQ(code_of([&] { api::comm_set_errhandler(world(), *find_errhandler(handle)); }),
              MPI_ERR_ERRHANDLER);
    api::errhandler_free(&handle);
}

TEST_F(errhandlers, are_fatal_at_first) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH((void)hear_of_error(&world(), "MPI_Send", mpi_error{MPI_ERR_RANK, "rank 7 is far away"}),
                 "lisle: rank 0: MPI_Send: rank 7 is far away \\(MPI_ERR_RANK");
}

TEST(errors_before_init, are_fatal) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH((void)hear_of_error(nullptr, "MPI_Send", mpi_error{MPI_ERR_OTHER, "called before MPI_Init"}),
                 "lisle: rank 0: MPI_Send: called before MPI_Init \\(MPI_ERR_OTHER");
}

TEST_F(errhandlers, world_has_its_attributes) {
    EXPECT_EQ(find_communicator(MPI_COMM_WORLD), &world());
    EXPECT_EQ(find_communicator(MPI_COMM_NULL), nullptr);
    EXPECT_EQ(find_communicator(nullptr), nullptr);
    EXPECT_EQ(world().name(), "MPI_COMM_WORLD");
    EXPECT_EQ(find_info(MPI_INFO_ENV)->get("maxprocs"), "1");
    EXPECT_EQ(find_info(MPI_INFO_NULL), nullptr);
}

} // namespace
