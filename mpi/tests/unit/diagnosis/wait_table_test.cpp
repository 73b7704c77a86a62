// SPDX-License-Identifier: Apache-2.0
#include "execution/wait_table.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace {

using namespace lisle;

constexpr std::array<wait_table::finding, 2> stands_still{{{true, 3}, {true, 3}}};

/// A table and the bells of some ranks in private memory.
struct node {
    explicit node(int ranks, bool looks = true)
        : bells(static_cast<std::size_t>(ranks)), memory{new (std::align_val_t{64})
                                                             std::byte[wait_table::bytes(ranks)]()},
          table{memory, doorbell_row{bells.front(), ranks, sizeof(doorbell) / doorbell::unit}} {
        if (looks) {
            table.look_for_standstills();
        }
    }
    ~node() { operator delete[](memory, std::align_val_t{64}); }
    node(const node &) = delete;
    node &operator=(const node &) = delete;

    /// What a rank does that waits for something which never comes, until it has answered two questions.
    bool sleep_and_answer(int rank, std::array<wait_table::finding, 2> findings) {
        bool told = false;
        for (std::size_t answered = 0; answered != findings.size();) {
            const std::uint32_t seen = bells[static_cast<std::size_t>(rank)].value();
            if (!table.asked(rank)) {
                table.sleep(rank, seen);
            } else if (const std::uint32_t question = table.take_question(rank); question != 0) {
                told = table.answer(rank, question, findings[answered++]) || told;
            }
        }
        return told;
    }

    std::vector<doorbell> bells;
    std::byte *memory;
    wait_table table;
};

TEST(WaitTable, OneOfThoseThatAllSleepIsToldSo) {
    constexpr int ranks = 4;
    node here{ranks};
    std::atomic<int> told{0};
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < ranks; ++rank) {
            threads.emplace_back([&, rank] { told += here.sleep_and_answer(rank, stands_still) ? 1 : 0; });
        }
    }
    EXPECT_EQ(told.load(), 1);
}

/// Whether rank 0 or 1 is told of a standstill if rank 1 finds this.
bool told_if(std::array<wait_table::finding, 2> findings) {
    node here{2};
    std::atomic<int> told{0};
    {
        std::jthread first{[&] { told += here.sleep_and_answer(0, stands_still) ? 1 : 0; }};
        std::jthread second{[&] { told += here.sleep_and_answer(1, findings) ? 1 : 0; }};
    }
    return told.load() != 0;
}

TEST(WaitTable, NobodyIsToldIfOneIsNotCertain) {
    EXPECT_TRUE(told_if(stands_still));
    EXPECT_FALSE(told_if({{{true, 3}, {false, 3}}}));
    EXPECT_FALSE(told_if({{{false, 3}, {true, 3}}})); // it may have slept for something else
}

TEST(WaitTable, NobodyIsToldIfAWaitHasEndedSinceTheQuestionBefore) {
    EXPECT_FALSE(told_if({{{true, 3}, {true, 4}}}));
}

TEST(WaitTable, ABellThatHasRungIsNews) {
    node here{2};
    // The thread of rank 1 has been told something but does not run.
    here.table.park(1, here.bells[1].value());
    here.bells[1].ring();
    std::jthread sleeper{[&] { here.table.sleep(0, here.bells[0].value()); }};
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    EXPECT_FALSE(here.table.asked(0));
    here.bells[0].ring();
}

TEST(WaitTable, ThoseThatHaveEndedAreNotWaitedFor) {
    node here{2};
    here.table.leave(1);
    EXPECT_TRUE(here.sleep_and_answer(0, stands_still));
    EXPECT_EQ(here.table.state_at(1, 1), wait_table::state::gone);
}

TEST(WaitTable, AQuestionIsAnsweredByOneThread) {
    node here{1};
    const std::uint32_t question = here.table.ask_all();
    EXPECT_TRUE(here.table.asked(0));
    EXPECT_EQ(here.table.take_question(0), question);
    EXPECT_EQ(here.table.take_question(0), 0U);
    EXPECT_FALSE(here.table.answer(0, question, {true, 3})); // nobody has looked for a standstill
    EXPECT_EQ(here.table.state_at(question, 0), wait_table::state::waiting);
    EXPECT_TRUE(here.table.all_answered(question));
}

TEST(WaitTable, IsStillWhileAllSleepAndCountsWhoWakesUp) {
    node here{2, false};
    std::atomic<bool> over{false};
    const auto wait_until_still = [&here] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        auto found = here.table.current_stillness();
        while (!found && std::chrono::steady_clock::now() < end) {
            found = here.table.current_stillness();
        }
        return found;
    };
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < 2; ++rank) {
            threads.emplace_back([&, rank] {
                for (;;) {
                    const std::uint32_t seen = here.bells[static_cast<std::size_t>(rank)].value();
                    if (over) {
                        return;
                    }
                    here.table.sleep(rank, seen);
                }
            });
        }
        const auto first = wait_until_still();
        ASSERT_TRUE(first);
        EXPECT_EQ(here.table.current_stillness(), first);
        here.table.traffic_of(0).add_sent(); // a real rank does so before it sleeps
        EXPECT_EQ(wait_until_still()->sent, 1U);
        here.bells[1].ring();
        const auto second = wait_until_still();
        ASSERT_TRUE(second);
        EXPECT_GT(second->wakings, first->wakings);
        over = true;
        here.bells[0].ring();
        here.bells[1].ring();
    }
    EXPECT_FALSE(here.table.current_stillness());
}

} // namespace
