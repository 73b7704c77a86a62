// SPDX-License-Identifier: Apache-2.0
// Procedures: what is awaited holds them up, and nothing else does.
#include "protocol/progress/procedure.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "../abi/world_of_one.hpp"
#include "../error_code.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"

namespace {

using namespace lisle;
using protocol::procedure;

/// A request that the test completes, and that counts how often it is given back.
class awaited final : public protocol::request {
  public:
    explicit awaited(int &freed) : request{this_rank().engine()}, freed_{freed} {}
    void end(int error = MPI_SUCCESS) {
        result.error = error;
        complete.store(true, std::memory_order_release);
    }
    [[nodiscard]] std::string failure() const override { return "it was not to be"; }
    void free() override {
        ++freed_;
        if (complete.load(std::memory_order_acquire)) {
            delete this;
        }
    }

  private:
    int &freed_;
};

struct procedures : world_of_one {
    std::vector<int> done;
    int freed = 0;

    procedure two_stages(protocol::request *first, protocol::request *second) {
        done.push_back(0);
        co_await first;
        done.push_back(1);
        co_await second;
        done.push_back(2);
    }
    procedure until_set(const bool &flag) {
        co_await procedure::until{[&flag] { return flag; }};
        done.push_back(1);
    }
    procedure throws() {
        co_await static_cast<protocol::request *>(nullptr);
        fail(MPI_ERR_FILE, "no such stage");
    }
};

} // namespace

TEST_F(procedures, begin_when_they_are_first_asked_to_advance) {
    auto *const first = new awaited{freed};
    procedure made = two_stages(first, nullptr);
    EXPECT_TRUE(done.empty());
    EXPECT_TRUE(made.may_go_on());
    EXPECT_FALSE(made.advance());
    EXPECT_EQ(done, std::vector{0});
    first->end();
    EXPECT_TRUE(made.advance());
    EXPECT_EQ(freed, 1);
}

TEST_F(procedures, wait_for_each_request_and_give_it_back) {
    auto *const first = new awaited{freed};
    auto *const second = new awaited{freed};
    procedure made = two_stages(first, second);
    EXPECT_FALSE(made.advance());
    EXPECT_FALSE(made.may_go_on());
    EXPECT_FALSE(made.advance()) << "nothing has changed";
    EXPECT_EQ(done, std::vector{0});
    first->end();
    EXPECT_TRUE(made.may_go_on());
    EXPECT_FALSE(made.advance());
    EXPECT_EQ(done, (std::vector{0, 1}));
    EXPECT_EQ(freed, 1);
    second->end();
    EXPECT_TRUE(made.advance());
    EXPECT_EQ(done, (std::vector{0, 1, 2}));
    EXPECT_EQ(freed, 2);
    EXPECT_TRUE(made.advance()) << "it stays done";
}

TEST_F(procedures, do_in_one_go_what_is_awaited_in_vain) {
    auto *const first = new awaited{freed};
    first->end();
    procedure made = two_stages(first, nullptr);
    EXPECT_TRUE(made.advance());
    EXPECT_EQ(done, (std::vector{0, 1, 2}));
}

TEST_F(procedures, throw_what_a_request_ended_with) {
    auto *const first = new awaited{freed};
    procedure made = two_stages(first, nullptr);
    EXPECT_FALSE(made.advance());
    first->end(MPI_ERR_TRUNCATE);
    EXPECT_EQ(code_of([&] { static_cast<void>(made.advance()); }), MPI_ERR_TRUNCATE);
    EXPECT_EQ(done, std::vector{0});
    EXPECT_EQ(freed, 1);
}

TEST_F(procedures, throw_what_a_stage_throws) {
    procedure made = throws();
    EXPECT_EQ(code_of([&] { static_cast<void>(made.advance()); }), MPI_ERR_FILE);
}

TEST_F(procedures, look_at_conditions_again_and_again) {
    bool flag = false;
    procedure made = until_set(flag);
    EXPECT_FALSE(made.advance());
    EXPECT_FALSE(made.may_go_on());
    flag = true;
    EXPECT_TRUE(made.may_go_on());
    EXPECT_TRUE(made.advance());
    EXPECT_EQ(done, std::vector{1});
}

TEST_F(procedures, give_back_what_they_await_when_they_are_destroyed) {
    auto *const first = new awaited{freed};
    {
        procedure made = two_stages(first, nullptr);
        EXPECT_FALSE(made.advance());
    }
    EXPECT_EQ(freed, 1);
    delete first;
}
