// SPDX-License-Identifier: Apache-2.0
// Routes: which fabric serves a peer, and that nothing is asked of a fabric for each peer until a route is.
#include "fabric/routes.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

using namespace lisle::fabric;

namespace {

/// Reaches the peers [first, end), and counts what it is asked.
class counting_fabric final : public fabric {
  public:
    counting_fabric(int first, int end, bool near, int &asked)
        : first_{first}, end_{end}, near_{near}, asked_{asked} {}
    [[nodiscard]] const char *name() const noexcept override { return "counting"; }
    [[nodiscard]] bool reaches(int peer) const noexcept override { return peer >= first_ && peer < end_; }
    [[nodiscard]] int reaches_up_to(int first, int end) const noexcept override {
        return reaches(first) ? std::min(end, end_) : first;
    }
    [[nodiscard]] route_limits limits(int) const noexcept override {
        ++asked_;
        return {.largest_payload = 100};
    }
    [[nodiscard]] bool same_address_space(int) const noexcept override { return near_; }
    [[nodiscard]] claim_result try_claim(int, int, std::size_t, bool, packet_slot &) noexcept override {
        return claim_result::failed;
    }
    void publish(int, packet_slot &) noexcept override {}
    int poll(int, sink &, int) override { return 0; }
    void set_congested(int, bool) noexcept override {}
    [[nodiscard]] bool arm(int) noexcept override { return true; }

  private:
    int first_, end_;
    bool near_;
    int &asked_;
};

std::vector<std::unique_ptr<fabric>> two_fabrics(int &asked) {
    std::vector<std::unique_ptr<fabric>> both;
    both.push_back(std::make_unique<counting_fabric>(1000, 2000, true, asked));
    both.push_back(std::make_unique<counting_fabric>(0, 100000, false, asked));
    return both;
}

} // namespace

TEST(routes_test, a_route_is_made_when_it_is_asked_for) {
    int asked = 0;
    const auto found = routes::find(two_fabrics(asked), 100000);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size(), 100000);
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(found->to(7).limits.eager, 100U);
    EXPECT_EQ(&found->to(7), &found->to(7));
    EXPECT_EQ(asked, 1);
}

TEST(routes_test, the_first_fabric_that_reaches_a_peer_serves_it) {
    int asked = 0;
    const auto found = routes::find(two_fabrics(asked), 100000);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->to(999).carrier, found->fabrics()[1]);
    EXPECT_EQ(found->to(1000).carrier, found->fabrics()[0]);
    EXPECT_EQ(found->to(1999).carrier, found->fabrics()[0]);
    EXPECT_EQ(found->to(2000).carrier, found->fabrics()[1]);
    EXPECT_EQ(found->common().carrier, nullptr);
    EXPECT_FALSE(found->share_addresses(1000, 999));
    EXPECT_TRUE(found->share_addresses(1000, 1001));
}

TEST(routes_test, there_are_none_if_a_peer_is_not_reached) {
    int asked = 0;
    std::vector<std::unique_ptr<fabric>> one;
    one.push_back(std::make_unique<counting_fabric>(0, 9, true, asked));
    EXPECT_FALSE(routes::find(std::move(one), 10));
}

TEST(routes_test, peers_of_other_jobs_follow_those_of_the_own) {
    int asked = 0;
    std::vector<std::unique_ptr<fabric>> own;
    own.push_back(std::make_unique<counting_fabric>(0, 10, true, asked));
    auto found = routes::find(std::move(own), 10);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->common().carrier, found->fabrics()[0]);
    EXPECT_TRUE(found->common().same_address_space);
    found->add(std::make_unique<counting_fabric>(10, 13, false, asked));
    EXPECT_EQ(found->size(), 13);
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(found->to(12).carrier, found->fabrics()[1]);
    EXPECT_EQ(found->to(9).carrier, found->fabrics()[0]);
}
