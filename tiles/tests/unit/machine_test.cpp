// SPDX-License-Identifier: Apache-2.0
// Cores under the virtual clock: what operations cost, interrupts, the watchdog, standstills, determinism.
#include "tile/tile_array.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace lisle::tile {
namespace {

parameters raw() {
    return {};
}

std::vector<word> packet(const core &from, int to, std::vector<word> payload) {
    payload.insert(payload.begin(), make_header(from.shape(), to, static_cast<int>(payload.size())));
    return payload;
}

TEST(TileMachine, WorkTakesItsCyclesAndNoHostTime) {
    tile_array array{raw()};
    std::vector<cycle> ended(16);
    EXPECT_FALSE(array.run([&](core &here) {
        here.work(1'000'000'000'000 + here.tile());
        ended[static_cast<std::size_t>(here.tile())] = here.now();
    }));
    for (int tile = 0; tile < 16; ++tile) {
        EXPECT_EQ(ended[static_cast<std::size_t>(tile)], 1'000'000'000'000 + tile);
    }
    EXPECT_EQ(array.model().stepped(), 0) << "no cycle of the mesh had to be computed";
}

TEST(TileMachine, AWordFromCornerToCornerTakesSixCycles) {
    const auto arrival_of = [](int to) {
        tile_array array{raw()};
        cycle arrived = 0;
        EXPECT_FALSE(array.run([&](core &here) {
            if (here.tile() == 0) {
                auto words = packet(here, to, {1});
                here.send(words, 1);
            } else if (here.tile() == to) {
                here.rest(0);
                arrived = here.now();
            }
        }));
        return arrived;
    };
    // The header is written in cycle 0, the word in cycle 1; the rest is the way.
    EXPECT_EQ(arrival_of(15) - 1, 6);
    EXPECT_EQ(arrival_of(15) - arrival_of(1), 5);
}

/// Notes what it reads, and takes its time.
class noting_handler final : public interrupt_handler {
  public:
    void words_arrived(core &here) override {
        std::array<word, 40> words{};
        const std::size_t read = here.receive_waiting(words, 2);
        seen.insert(seen.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(read));
        ++calls;
    }
    std::vector<word> seen;
    int calls = 0;
};

TEST(TileMachine, AnInterruptMakesWorkLonger) {
    parameters built = raw();
    built.interrupt_entry_cycles = 100;
    built.interrupt_exit_cycles = 50;
    tile_array array{built};
    cycle ended = 0;
    noting_handler handler;
    EXPECT_FALSE(array.run([&](core &here) {
        if (here.tile() == 0) {
            here.work(1000);
            auto words = packet(here, 1, {5});
            here.send(words, 1);
        } else if (here.tile() == 1) {
            here.set_handler(&handler);
            here.work(10'000);
            ended = here.now();
            here.set_handler(nullptr);
        }
    }));
    EXPECT_EQ(handler.seen, std::vector<word>{5});
    EXPECT_EQ(ended, 10'000 + 100 + 2 + 50);
    EXPECT_EQ(array.model().counts(1).interrupts, 1);
    EXPECT_EQ(array.model().counts(1).cycles[static_cast<std::size_t>(phase::interrupt)], 152);
}

TEST(TileMachine, AnInterruptIsTakenWhileTheCoreIsStalledOnOutput) {
    tile_array array{raw()};
    std::array<noting_handler, 2> handlers;
    EXPECT_FALSE(array.run([&](core &here) {
        if (here.tile() > 1) {
            return;
        }
        noting_handler &handler = handlers[static_cast<std::size_t>(here.tile())];
        here.set_handler(&handler);
        for (int i = 0; i < 100; ++i) { // both send far more than the buffers hold
            auto words = packet(here, 1 - here.tile(), std::vector<word>(31, static_cast<word>(i)));
            here.send(words, 1);
        }
        while (handler.seen.size() < 3100) {
            here.rest(1 - here.tile());
        }
    }));
    EXPECT_EQ(handlers[0].seen, handlers[1].seen);
    EXPECT_EQ(array.model().network().words_under_way(), 0);
}

void send_head_to_head(core &here, int words) {
    if (here.tile() > 1) {
        return;
    }
    std::vector<word> payload(static_cast<std::size_t>(words), 9);
    auto sent = packet(here, 1 - here.tile(), payload);
    here.send(sent, 1);
    here.receive(payload, 1, 1 - here.tile());
}

TEST(TileMachine, HeadToHeadStopsAboveEightWordsAndSaysWhy) {
    {
        tile_array array{raw()};
        EXPECT_FALSE(array.run([](core &here) { send_head_to_head(here, 8); }));
    }
    tile_array array{raw()};
    const auto stopped = array.run([](core &here) { send_head_to_head(here, 9); });
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->ring, (std::vector<int>{0, 1}));
    EXPECT_EQ(describe(*stopped), "ring of waits: 0 -> 1 -> 0\n"
                                  "tile 0 sends, and waits for tile 1 to take words from its full port\n"
                                  "tile 1 sends, and waits for tile 0 to take words from its full port\n");
}

TEST(TileMachine, TheWatchdogFreesHeadToHead) {
    parameters built = raw();
    built.watchdog_cycles = 500;
    tile_array array{built};
    EXPECT_FALSE(array.run([](core &here) { send_head_to_head(here, 31); }));
    EXPECT_GT(array.model().now(), 500);
    EXPECT_GT(array.model().counts(0).watchdog_words, 0);
}

TEST(TileMachine, ARingOfWaitsCanBeLong) {
    tile_array array{raw()};
    const std::vector<int> round{0, 1, 2, 3, 7, 6, 5, 4};
    const auto stopped = array.run([&](core &here) {
        for (std::size_t i = 0; i < round.size(); ++i) {
            if (round[i] == here.tile()) {
                word got = 0;
                here.receive({&got, 1}, 1, round[(i + 1) % round.size()]);
            }
        }
    });
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->ring, round);
}

TEST(TileMachine, APausedCoreGoesOnWhenItIsWoken) {
    tile_array array{raw()};
    std::vector<cycle> woken_at;
    array.begin([&](core &here) {
        if (here.tile() == 2) {
            here.pause();
            woken_at.push_back(here.now());
            here.pause();
            woken_at.push_back(here.now());
        } else if (here.tile() == 1) {
            here.work(700);
        }
    });
    while (array.advance()) {
    }
    EXPECT_TRUE(woken_at.empty());
    array.model().wake(2);
    EXPECT_TRUE(array.advance());
    EXPECT_EQ(woken_at, std::vector<cycle>{700});
    EXPECT_FALSE(array.advance());
    array.finish();
    EXPECT_EQ(woken_at.size(), 1U) << "a program that is stopped does not go on";
}

TEST(TileMachine, WhatAProgramThrowsEndsTheRun) {
    tile_array array{raw()};
    EXPECT_THROW(array.run([](core &here) {
        if (here.tile() == 3) {
            throw std::runtime_error{"tile 3"};
        }
        here.rest();
    }),
                 std::runtime_error);
}

TEST(TileMachine, TwoRunsTakeTheSameCycles) {
    const auto once = [] {
        tile_array array{raw()};
        std::array<noting_handler, 16> handlers;
        EXPECT_FALSE(array.run([&](core &here) {
            noting_handler &handler = handlers[static_cast<std::size_t>(here.tile())];
            here.set_handler(&handler);
            for (int to = 0; to < 16; ++to) {
                auto words = packet(here, to, std::vector<word>(20, static_cast<word>(here.tile())));
                here.send(words, 3);
                here.work(here.tile() * 7);
            }
            while (handler.seen.size() < 320) {
                here.rest();
            }
        }));
        return array.model().now();
    };
    EXPECT_EQ(once(), once());
}

TEST(TileMachine, ThePhasesOfATileAddUpToTheTime) {
    tile_array array{raw()};
    EXPECT_FALSE(array.run([](core &here) {
        here.work(100 * here.tile());
        const in_phase booked{here, phase::send};
        here.work(10);
    }));
    for (int tile = 0; tile < 16; ++tile) {
        const auto &cycles = array.model().counts(tile).cycles;
        EXPECT_EQ(std::accumulate(cycles.begin(), cycles.end(), cycle{0}), array.model().now());
    }
}

} // namespace
} // namespace lisle::tile
