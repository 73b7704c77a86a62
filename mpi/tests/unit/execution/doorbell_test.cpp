// SPDX-License-Identifier: Apache-2.0
// Doorbells: no ring is missed between a last look for news and sleep, and each bell of a fiber is on its
// home's list once, however many ring.
#include "execution/doorbell.hpp"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lisle {
namespace {

constexpr int rounds = 20'000;

TEST(doorbell, a_ring_after_the_last_look_keeps_awake) {
    // Two threads pass a number to and fro and sleep whenever it is not theirs: one lost ring, and both sleep
    // for ever.
    struct side {
        doorbell bell;
        std::atomic<int> news{0}; // the bell orders it
    };
    side one, other;
    const auto answer = [](side &own, side &peer, bool begins) {
        for (int round = 1; round <= rounds; ++round) {
            if (begins) {
                peer.news.store(round, std::memory_order_relaxed);
                peer.bell.ring();
            }
            for (;;) {
                const std::uint32_t seen = own.bell.value();
                if (own.news.load(std::memory_order_relaxed) == round) {
                    break;
                }
                own.bell.sleep(seen);
            }
            if (!begins) {
                peer.news.store(round, std::memory_order_relaxed);
                peer.bell.ring();
            }
        }
    };
    std::thread second{[&] { answer(other, one, false); }};
    answer(one, other, true);
    second.join();
    EXPECT_EQ(one.news.load(), rounds);
    EXPECT_EQ(other.news.load(), rounds);
}

TEST(doorbell, sleeping_on_several_ends_when_any_rings) {
    for (std::size_t which = 0; which != 3; ++which) {
        doorbell bells[3];
        std::vector<doorbell::seen_value> seen;
        for (doorbell &each : bells) {
            seen.push_back({&each, each.value()});
        }
        std::thread ringer{[&] { bells[which].ring(); }};
        // It may return early, so it is asked again.
        while (bells[which].value() == seen[which].value) {
            doorbell::sleep_on_any(seen);
        }
        ringer.join();
    }
}

TEST(doorbell, has_an_end_of_sleep_where_one_is_asked_for) {
    doorbell bell;
    bell.sleep(bell.value(), 1'000'000);
    doorbell::seen_value seen{&bell, bell.value()};
    doorbell::sleep_on_any({&seen, 1}, 1'000'000);
    bell.sleep_at_home(1'000'000);
}

/// Bells of fibers, and the home of their worker, as they lie in a job's memory: one after the other.
class fiber_bells {
  public:
    explicit fiber_bells(std::uint32_t fibers)
        : bells_{std::make_unique<doorbell[]>(fibers + 1)}, fibers_{fibers} {
        for (std::uint32_t index = 1; index <= fibers; ++index) {
            bells_[index].belong_to(index * units);
        }
    }
    doorbell &home() { return bells_[0]; }
    doorbell &of_fiber(std::uint32_t index) { return bells_[index + 1]; }
    /// Takes all that have rung; calls rung(fiber) for each.
    template <class Rung> void collect(Rung rung) {
        for (std::uint32_t entry = home().take_rung(); entry != 0;) {
            const std::uint32_t index = (entry - 1) / units;
            ASSERT_TRUE(index >= 1 && index <= fibers_);
            entry = bells_[index].leave_list();
            rung(index - 1);
        }
    }

  private:
    static_assert(sizeof(doorbell) % doorbell::unit == 0);
    static constexpr std::uint32_t units = sizeof(doorbell) / doorbell::unit;

    std::unique_ptr<doorbell[]> bells_;
    std::uint32_t fibers_;
};

TEST(doorbell, a_fiber_that_is_rung_often_is_listed_once) {
    fiber_bells all{4};
    for (int ring = 0; ring != 3; ++ring) {
        all.of_fiber(2).ring();
    }
    all.of_fiber(0).ring();
    std::vector<int> found(4);
    all.collect([&](std::uint32_t fiber) { ++found[fiber]; });
    EXPECT_EQ(found, (std::vector{1, 0, 1, 0}));
    EXPECT_FALSE(all.home().any_rung());
    all.of_fiber(2).ring();
    EXPECT_TRUE(all.home().any_rung()) << "who has left the list can come again";
}

TEST(doorbell, many_ringers_lose_no_fiber) {
    constexpr std::uint32_t fibers = 5;
    constexpr int ringers = 3;
    fiber_bells all{fibers};
    std::atomic<int> wanted[fibers] = {}; // news for each fiber; the bell orders it
    std::vector<std::thread> threads;
    for (int ringer = 0; ringer != ringers; ++ringer) {
        threads.emplace_back([&, ringer] {
            for (int round = 0; round != rounds; ++round) {
                const auto fiber = static_cast<std::uint32_t>(round * (ringer + 1)) % fibers;
                wanted[fiber].fetch_add(1, std::memory_order_relaxed);
                all.of_fiber(fiber).ring();
            }
        });
    }
    // The worker: sleeps at home, and after each ring finds all news of that fiber.
    int taken = 0;
    while (taken != ringers * rounds) {
        if (!all.home().any_rung()) {
            all.home().sleep_at_home();
        }
        all.collect(
            [&](std::uint32_t fiber) { taken += wanted[fiber].exchange(0, std::memory_order_relaxed); });
    }
    for (std::thread &each : threads) {
        each.join();
    }
    EXPECT_EQ(taken, ringers * rounds);
}

} // namespace
} // namespace lisle
