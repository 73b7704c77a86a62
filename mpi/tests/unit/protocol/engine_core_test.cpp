// SPDX-License-Identifier: Apache-2.0
// Completion, news and work for later, on a core without an engine.
#include "protocol/core/engine_core.hpp"

#include <gtest/gtest.h>
#include <mutex>

#include "parts.hpp"

using namespace lisle;
using namespace lisle::protocol;

namespace {

class engine_core_test : public testing::Test {
  protected:
    core_alone alone_;
    engine_core &core_ = alone_.core;
    [[nodiscard]] std::uint32_t bell() const { return core_.self.owner.bell().value(); }
};

struct freed_request final : request {
    freed_request(bool &gone) : request{this_rank().engine()}, gone{gone} {}
    ~freed_request() override { gone = true; }
    bool &gone;
};

} // namespace

TEST_F(engine_core_test, completion_is_news) {
    const auto receive = make_receive({4, 0, 0});
    const auto before = core_.news_locked();
    core_.complete(*receive);
    EXPECT_TRUE(receive->complete.load());
    EXPECT_EQ(core_.news_locked(), before + 1);
}

TEST_F(engine_core_test, bell_rings_for_sleepers_alone) {
    const auto first = make_receive({4, 0, 0});
    const auto second = make_receive({4, 0, 0});
    const std::uint32_t silent = bell();
    core_.complete(*first);
    EXPECT_EQ(bell(), silent);
    core_.begin_sleep_locked();
    core_.complete(*second);
    EXPECT_NE(bell(), silent);
    core_.end_sleep_locked();
}

TEST_F(engine_core_test, failed_request_has_the_error_and_no_bytes) {
    const auto receive = make_receive({4, 0, 0});
    receive->result.bytes = 8;
    {
        const std::scoped_lock guard{core_};
        core_.fail_locked(*receive, MPI_ERR_OTHER);
    }
    EXPECT_TRUE(receive->complete.load());
    EXPECT_EQ(receive->result.error, MPI_ERR_OTHER);
    EXPECT_EQ(receive->result.bytes, 0);
}

TEST_F(engine_core_test, active_request_that_is_freed_goes_when_it_is_complete) {
    bool gone = false;
    auto *const freed = new freed_request{gone};
    core_.release(*freed);
    EXPECT_FALSE(gone);
    core_.complete(*freed);
    EXPECT_TRUE(gone);
}

TEST_F(engine_core_test, complete_request_that_is_freed_goes_at_once) {
    bool gone = false;
    auto *const freed = new freed_request{gone};
    core_.complete(*freed);
    EXPECT_FALSE(gone);
    core_.release(*freed);
    EXPECT_TRUE(gone);
}

TEST_F(engine_core_test, work_for_later_is_the_newest_first) {
    pending_call first{nullptr}, second{nullptr};
    EXPECT_FALSE(core_.has_work());
    core_.do_unlocked(first);
    core_.do_unlocked(second);
    EXPECT_TRUE(core_.has_work());
    EXPECT_EQ(core_.take_work(), &second);
    EXPECT_EQ(second.next, &first);
    EXPECT_EQ(first.next, nullptr);
    EXPECT_FALSE(core_.has_work());
}
