// SPDX-License-Identifier: Apache-2.0
// A second fabric that is enabled and has nothing to say: what it may cost the messages of the first. Its
// poll takes a millisecond, many thousand times what a local message takes. Counted is the time inside that
// poll, not the latency, or the time is a simulated one: no result depends on what else the machine does.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

#include "base/settings.hpp"
#include "datatype/predefined.hpp"
#include "fabric/local/local_fabric.hpp"
#include "fabric/local/node_domain.hpp"
#include "library/process.hpp"
#include "polled_device.hpp"
#include "protocol/core/polled_fabrics.hpp"
#include "protocol/point_to_point.hpp"
#include "world/lone_bootstrap.hpp"

using namespace lisle;
using namespace lisle::protocol;
using lisle::fabric::local::node_segment;
using std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds slow_poll{1};

/// Local messages beside the slow device must leave it at most one part in `parts` of the time. @param
/// awaited a receive is pending that it might complete
void expect_small_share(int parts, bool awaited) {
    const job_shape shape{.ranks_of_process = {1}};
    int polls = 0;
    const auto be_slow = [&polls] {
        ++polls;
        for (const auto start = steady_clock::now(); steady_clock::now() - start < slow_poll;) {
        }
        return 0;
    };
    const fabric_maker makers[] = {
        [](node_segment &of, const bootstrap &start) -> std::unique_ptr<fabric::fabric> {
            return std::make_unique<fabric::local::local_fabric>(
                std::make_unique<fabric::local::node_domain>(of, start, fabric::local::read_thresholds{}));
        },
        [&](node_segment &, const bootstrap &) -> std::unique_ptr<fabric::fabric> {
            return std::make_unique<device>(be_slow);
        }};
    process alone{std::make_unique<lone_bootstrap>(shape), node_segment::private_to_process(shape), makers};
    rank &self = alone.enter(0);
    rank *const former = become(&self);
    {
        const group_ref members = make_group({0});
        const channel channel = make_channel(4, 0, *members);
        long out = 0, in = -1;
        const typed_buffer from{&out, 8, *find_datatype(MPI_BYTE)}, to{&in, 8, *find_datatype(MPI_BYTE)};
        auto *const never = awaited ? start_receive(to, channel, MPI_ANY_SOURCE, 2) : nullptr;
        // Posted receives, so that each message takes the general way too, and the fabrics are asked.
        const auto start = steady_clock::now();
        // As long as it takes for some polls: on a loaded machine they are rarer.
        while (polls <= 5) {
            for (int i = 0; i < 1000; ++i, ++out) {
                auto *const receiving = start_receive(to, channel, 0, 1);
                send(from, channel, 0, 1);
                protocol::wait(*receiving);
                receiving->free();
                send(from, channel, 0, 1);
                ASSERT_EQ(receive(to, channel, 0, 1).bytes, 8);
                ASSERT_EQ(in, out);
            }
        }
        EXPECT_LT(polls * slow_poll * parts, steady_clock::now() - start);
        if (never != nullptr) {
            send(from, channel, 0, 2);
            protocol::wait(*never);
            never->free();
        }
    }
    become(former);
    alone.get_job().leave(self);
}

} // namespace

TEST(idle_fabric, costs_local_messages_less_than_a_twentieth_of_the_time) {
    expect_small_share(20, false);
}

TEST(idle_fabric, costs_local_messages_less_than_a_seventh_of_the_time_while_something_of_it_is_awaited) {
    expect_small_share(7, true);
}

// The cost model of Protopopov and Skjellum: who asks all devices in turn waits, on average, for half the sum
// of their latencies, of which the slowest one's is nearly all. Who gives the silent one a share of the time
// waits for half of it only where a message comes during that share.
TEST(idle_fabric, asked_in_turn_makes_messages_wait_for_half_its_time_and_by_share_hardly_ever) {
    const bool in_turn = chosen_progress() == progress_manner::round_robin;
    constexpr std::int64_t local_poll = 100, messages = 2000;
    constexpr std::int64_t slow = std::chrono::nanoseconds{slow_poll}.count();
    simulated_clock clock;
    nobody into;
    std::int64_t sent = 0, rounds = 0, polls = 0;
    device local{[&] {
        ++rounds;
        clock.now += local_poll;
        return sent <= clock.now ? 1 : 0;
    }};
    device silent{[&] {
        ++polls;
        clock.now += slow;
        return 0;
    }};
    polled_fabrics both;
    both.add(local);
    both.add(silent);
    const std::uint8_t awaited = both.expect(local);
    std::mt19937 random{11};
    std::int64_t waited = 0;
    for (std::int64_t i = 0; i != messages; ++i) {
        sent = clock.now + 2 * slow + random() % static_cast<std::uint32_t>(2 * slow);
        std::int64_t arrived = 0;
        do {
            const std::int64_t rounds_before = rounds, polls_before = polls;
            const bool came = both.poll(0, into, 1, clock, false, 0) != 0;
            ASSERT_TRUE(in_turn || rounds == rounds_before + 1) << "what is awaited is asked in every round";
            // The message is here when the local device has been asked; the silent one comes after it.
            arrived = came ? clock.now - (polls - polls_before) * slow : 0;
        } while (arrived == 0);
        waited += arrived - sent;
    }
    both.forget(awaited);
    const double mean = static_cast<double>(waited) / static_cast<double>(messages);
    if (in_turn) {
        EXPECT_NEAR(static_cast<double>(polls), static_cast<double>(rounds), 1);
        EXPECT_NEAR(mean, slow / 2.0, slow / 40.0);
    } else {
        EXPECT_LT(mean, slow / 40.0);
        EXPECT_LT(polls * slow * 20, clock.now);
        EXPECT_GT(polls, 5) << "the other fabric must be asked now and then";
    }
}
