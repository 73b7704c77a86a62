// SPDX-License-Identifier: Apache-2.0
// Arrays of requests: which are active, and which of them are complete.
#include "api/active_requests.hpp"

#include <array>

#include <gtest/gtest.h>

#include "../abi/world_of_one.hpp"
#include "../error_code.hpp"

namespace lisle::api {
namespace {

class requests : public world_of_one {
  protected:
    void SetUp() override {
        // A receive that nothing matches yet, a persistent one that is not started, none, and one that is
        // complete.
        ASSERT_EQ(MPI_Irecv(&value_, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &all_[waiting]), MPI_SUCCESS);
        ASSERT_EQ(MPI_Recv_init(&other_, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &all_[inactive]), MPI_SUCCESS);
        ASSERT_EQ(MPI_Isend(&value_, 0, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_SELF, &all_[complete]),
                  MPI_SUCCESS);
    }
    void TearDown() override {
        MPI_Send(&other_, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&all_[waiting], MPI_STATUS_IGNORE);
        MPI_Wait(&all_[complete], MPI_STATUS_IGNORE);
        MPI_Request_free(&all_[inactive]);
    }
    enum place { waiting, inactive, none, complete };
    int value_ = 0, other_ = 7;
    std::array<MPI_Request, 4> all_{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

TEST_F(requests, active_ones_are_there_to_wait_for) {
    EXPECT_NE(active(all_[waiting]), nullptr);
    EXPECT_EQ(active(all_[inactive]), nullptr);
    EXPECT_EQ(active(all_[none]), nullptr);
    EXPECT_NE(active(all_[complete]), nullptr);
}

TEST_F(requests, a_complete_one_is_found) {
    int index = -1;
    EXPECT_EQ(find_complete(4, all_.data(), &index), search_result::found);
    EXPECT_EQ(index, complete);
    EXPECT_EQ(find_complete(3, all_.data(), &index), search_result::none_yet);
    EXPECT_EQ(find_complete(2, all_.data() + inactive, &index), search_result::none_active);
    EXPECT_EQ(find_complete(0, nullptr, &index), search_result::none_active);
    EXPECT_FALSE(all_complete(4, all_.data()));
    EXPECT_TRUE(all_complete(3, all_.data() + inactive));
}

TEST_F(requests, looking_moves_messages_on) {
    int index = -1;
    ASSERT_EQ(MPI_Send(&other_, 1, MPI_INT, 0, 1, MPI_COMM_SELF), MPI_SUCCESS);
    EXPECT_EQ(look_for_complete(1, all_.data(), &index), search_result::found);
    EXPECT_EQ(index, 0);
    EXPECT_EQ(value_, 7);
    ASSERT_EQ(MPI_Wait(&all_[waiting], MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(MPI_Irecv(&value_, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &all_[waiting]),
              MPI_SUCCESS); // for the end
}

TEST_F(requests, what_is_no_request_is_refused) {
    EXPECT_EQ(code_of([] { static_cast<void>(resolve(reinterpret_cast<MPI_Request>(MPI_COMM_SELF))); }),
              MPI_ERR_REQUEST);
}

TEST_F(requests, an_empty_status_says_success) {
    MPI_Status status;
    status.MPI_ERROR = MPI_ERR_OTHER;
    store_empty(&status);
    EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    EXPECT_EQ(status.MPI_ERROR, MPI_SUCCESS);
    store_empty(MPI_STATUS_IGNORE);
}

} // namespace
} // namespace lisle::api
