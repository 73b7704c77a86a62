// SPDX-License-Identifier: Apache-2.0
// A mailbox that always has something, and a network beside it: neither keeps the other's messages waiting.
// In simulated time, so that no result depends on what else the machine does.
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

#include "polled_device.hpp"
#include "protocol/core/polled_fabrics.hpp"

using namespace lisle;
using namespace lisle::protocol;

namespace {

constexpr int batch = 32; ///< packets of a mailbox that are taken in one round
constexpr std::int64_t local_packet = 100, network_poll = 300, network_latency = 7000; ///< nanoseconds

} // namespace

TEST(busy_fabrics, that_always_bring_something_share_the_receives_from_any_source) {
    simulated_clock clock;
    nobody into;
    std::int64_t from_mailbox = 0, from_network = 0;
    device network{[&] {
        clock.now += network_poll + batch * local_packet;
        from_network += batch;
        return batch;
    }};
    polled_fabrics others;
    others.add(network);
    const std::uint8_t awaited = others.expect_anywhere();
    for (int round = 0; round != 1000; ++round) {
        clock.now += batch * local_packet;
        from_mailbox += batch;
        static_cast<void>(others.poll(0, into, batch, clock, false, batch));
    }
    others.forget(awaited);
    EXPECT_GE(from_network * 10, (from_mailbox + from_network) * 3);
    EXPECT_GE(from_mailbox * 10, (from_mailbox + from_network) * 3);
}

TEST(busy_fabrics, a_message_of_the_network_takes_less_than_twice_its_time_beside_a_full_mailbox) {
    simulated_clock clock;
    nobody into;
    std::int64_t arrives = 0, found = 0;
    device network{[&] {
        clock.now += network_poll;
        found = arrives <= clock.now ? clock.now : 0;
        return found != 0 ? 1 : 0;
    }};
    polled_fabrics others;
    others.add(network);
    std::mt19937 random{3};
    constexpr std::int64_t messages = 2000;
    std::int64_t waited = 0;
    for (std::int64_t i = 0; i != messages; ++i) {
        const std::uint8_t awaited = others.expect(network);
        arrives = clock.now + network_latency + random() % 100'000;
        for (found = 0; found == 0;) {
            clock.now += batch * local_packet;
            static_cast<void>(others.poll(0, into, batch, clock, false, batch));
        }
        others.forget(awaited);
        waited += found - arrives;
    }
    EXPECT_LT(waited, messages * network_latency);
}
