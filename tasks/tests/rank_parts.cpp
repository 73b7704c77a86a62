// SPDX-License-Identifier: Apache-2.0
// The parts of a rank's machine on their own: credits, results that are owed, reads that wait, requests for
// work, what leaves, what is given to a tile.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "task/machine/awaited.hpp"
#include "task/machine/cell_reads.hpp"
#include "task/machine/credits.hpp"
#include "task/machine/inbox.hpp"
#include "task/machine/outbox.hpp"
#include "task/machine/programs.hpp"
#include "task/machine/work_requests.hpp"
#include "task/transport/held_parcels.hpp"

namespace {

using namespace lisle::tasks;

task numbered(std::uint32_t number) {
    task made;
    made.slot = number;
    return made;
}

TEST(task_credits, keep_tasks_in_order_until_credits_come_back) {
    task_credits credits{3, 2};
    EXPECT_TRUE(credits.take_or_keep(1, {numbered(0), 5}));
    EXPECT_TRUE(credits.take_or_keep(1, {numbered(1), 5}));
    EXPECT_FALSE(credits.is_throttled());
    EXPECT_FALSE(credits.take_or_keep(1, {numbered(2), 5}));
    EXPECT_FALSE(credits.take_or_keep(1, {numbered(3), 6}));
    EXPECT_TRUE(credits.is_throttled());
    EXPECT_TRUE(credits.take_or_keep(2, {numbered(4), 7})) << "each rank has its own";
    EXPECT_EQ(credits.most_waiting(), 2U);
    placed_task next{};
    EXPECT_FALSE(credits.take_next(1, next));
    EXPECT_FALSE(credits.end_throttling());

    ASSERT_TRUE(credits.come_back(1, 1));
    EXPECT_FALSE(credits.take_or_keep(1, {numbered(5), 5})) << "it would overtake those that wait";
    ASSERT_TRUE(credits.take_next(1, next));
    EXPECT_EQ(next.what.slot, 2U);
    EXPECT_EQ(credits.under_way(1), 2U);
    ASSERT_TRUE(credits.come_back(1, 2));
    ASSERT_TRUE(credits.take_next(1, next));
    EXPECT_EQ(next.what.slot, 3U);
    EXPECT_EQ(next.tile, 6);
    ASSERT_TRUE(credits.take_next(1, next));
    EXPECT_EQ(next.what.slot, 5U);
    EXPECT_TRUE(credits.end_throttling());
    EXPECT_FALSE(credits.is_throttled());
    EXPECT_FALSE(credits.come_back(2, 2)) << "one was under way";
}

TEST(task_credits, are_given_back_in_batches) {
    task_credits credits{2, 16};
    EXPECT_EQ(credits.owe(1, false), 0U);
    EXPECT_EQ(credits.owe(1, false), 0U);
    EXPECT_EQ(credits.owe(1, true), 3U);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(credits.owe(1, false), 0U);
    }
    EXPECT_EQ(credits.owe(1, false), 4U);
}

TEST(awaited_results, are_taken_once_and_from_who_owes_them) {
    awaited_results owed;
    const auto first = owed.add({1, nullptr, 7, 1, {}});
    const auto second = owed.add({2, nullptr, 8, 1, {}});
    EXPECT_NE(first, second);
    EXPECT_FALSE(owed.take(first, 2));
    EXPECT_FALSE(owed.take(second + 1, 2));
    const auto taken = owed.take(first, 1);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->slot, 7U);
    EXPECT_FALSE(owed.take(first, 1));
    EXPECT_EQ(owed.size(), 1U);
}

TEST(cell_reads, end_with_the_value_or_with_a_failure) {
    cell_reads reads;
    const auto variable = make<cell>(cell::sort::variable);
    const auto never = make<cell>(cell::sort::variable);
    std::vector<value> got;
    const auto keep = [&got](value found) { got.push_back(std::move(found)); };
    reads.read(*variable, keep);
    reads.read(*never, keep);
    EXPECT_TRUE(got.empty());
    variable->put(std::int64_t{5});
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].integer(), 5);
    reads.read(*variable, keep);
    ASSERT_EQ(got.size(), 2U) << "it is there";
    reads.fail_all();
    ASSERT_EQ(got.size(), 3U);
    EXPECT_TRUE(got[2].is(object_kind::failure));
    never->put(std::int64_t{6});
    EXPECT_EQ(got.size(), 3U) << "nobody waits any more";
}

TEST(work_requests, are_answered_before_they_are_made_again) {
    work_requests requests{3};
    EXPECT_FALSE(requests.any());
    requests.add(1);
    requests.add(2);
    EXPECT_TRUE(requests.any());
    EXPECT_EQ(requests.take(), 2);
    EXPECT_EQ(requests.take(), 1);
    EXPECT_FALSE(requests.any());
    EXPECT_TRUE(requests.begin_asking(1));
    EXPECT_FALSE(requests.begin_asking(1));
    EXPECT_TRUE(requests.begin_asking(2));
    requests.answered(1);
    EXPECT_TRUE(requests.begin_asking(1));
}

/// Keeps what it is to send.
class recorder final : public transport {
  public:
    std::vector<int> sent_to;
    std::atomic<int> wake_ups{0};

    [[nodiscard]] int rank() const noexcept override { return 0; }
    [[nodiscard]] int ranks() const noexcept override { return 3; }
    void send(int to, std::vector<std::byte>) override { sent_to.push_back(to); }
    int expect(int, std::span<std::byte>, std::function<void()>) override { return 0; }
    void send_from(int, int, std::span<const std::byte>, ref<object>) override {}
    bool poll(const receiver &) override { return false; }
    void wait(const receiver &) override {}
    void wake() override { ++wake_ups; }
    [[nodiscard]] bool has_sent_all() const override { return true; }
    std::vector<std::uint64_t> gather(std::uint64_t mine) override { return {mine, mine, mine}; }
};

TEST(outbox, sends_in_order_on_the_own_thread_alone) {
    recorder between;
    termination end{0, 3};
    lost_ranks lost{3};
    outbox out{between, end, lost};
    EXPECT_TRUE(out.is_empty());
    out.send(1, {parcel_type::data});
    EXPECT_EQ(between.wake_ups, 0) << "the own thread is awake";
    std::vector<std::size_t> sent_before_action;
    std::thread{[&] {
        out.send(2, {parcel_type::request});
        out.do_later([&] {
            sent_before_action.push_back(between.sent_to.size());
            out.send(1, {parcel_type::data}); // flush() goes on until nothing is left
        });
    }}.join();
    EXPECT_EQ(between.wake_ups, 2);
    EXPECT_TRUE(between.sent_to.empty());
    out.flush();
    EXPECT_EQ(between.sent_to, (std::vector<int>{1, 2, 1}));
    EXPECT_EQ(sent_before_action, std::vector<std::size_t>{2});
    EXPECT_TRUE(out.is_empty());
    EXPECT_EQ(out.parcels_sent(), 3U);
    EXPECT_TRUE(lost.add(1));
    EXPECT_FALSE(lost.add(1));
    out.send(1, {parcel_type::data}); // dropped
    out.send(2, {parcel_type::data});
    out.flush();
    EXPECT_EQ(between.sent_to, (std::vector<int>{1, 2, 1, 2}));
    EXPECT_EQ(out.parcels_sent(), 4U);
}

TEST(inbox, says_when_a_task_is_the_last) {
    inbox tasks;
    task taken;
    bool is_last = false;
    EXPECT_FALSE(tasks.take(taken, is_last));
    tasks.put(numbered(1));
    tasks.put(numbered(2));
    EXPECT_EQ(tasks.size(), 2U);
    ASSERT_TRUE(tasks.take(taken, is_last));
    EXPECT_EQ(taken.slot, 1U);
    EXPECT_FALSE(is_last);
    ASSERT_TRUE(tasks.take(taken, is_last));
    EXPECT_EQ(taken.slot, 2U);
    EXPECT_TRUE(is_last);
    EXPECT_TRUE(tasks.is_empty());
}

TEST(program_table, forgets_what_is_removed) {
    const registry kernels;
    program_table programs{kernels};
    const std::uint64_t number = programs.next_number(3);
    EXPECT_EQ(number >> 32U, 3U);
    program_state &loaded = programs.load(number, read("(+ 1 2)"));
    EXPECT_EQ(&programs.find(number), &loaded);
    EXPECT_EQ(programs.started_by(3), std::vector<std::uint64_t>{number});
    EXPECT_TRUE(programs.started_by(0).empty());
    EXPECT_FALSE(programs.is_complete(loaded));
    programs.complete(loaded, std::int64_t{3});
    EXPECT_TRUE(programs.is_complete(loaded));
    programs.remove(number);
    programs.remove(number);
    EXPECT_THROW(static_cast<void>(programs.find(number)), std::runtime_error);
}

TEST(held_parcels, wait_for_the_long_one_before_them) {
    held_parcels held;
    const std::vector<std::byte> shorter{std::byte{1}};
    EXPECT_FALSE(held.hold(0, shorter));
    const auto coming = held.expect(0, 100);
    EXPECT_TRUE(held.hold(0, shorter));
    EXPECT_FALSE(held.hold(1, shorter)) << "of another rank";
    std::vector<std::size_t> sizes;
    const auto receive = [&](int from, std::span<const std::byte> bytes) {
        EXPECT_EQ(from, 0);
        sizes.push_back(bytes.size());
    };
    held.deliver(receive);
    EXPECT_TRUE(sizes.empty());
    coming->is_here = true;
    held.deliver(receive);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{100, 1}));
    EXPECT_FALSE(held.hold(0, shorter));
}

} // namespace
