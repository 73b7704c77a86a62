// SPDX-License-Identifier: Apache-2.0
// The parts of a window without the window: a member's table in ordinary memory is all they need.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "../abi/world_of_one.hpp"
#include "communicator/predefined.hpp"
#include "datatype/predefined.hpp"
#include "rma/messages/lock_queue.hpp"
#include "rma/messages/origin.hpp"
#include "rma/state/target_address.hpp"
#include "rma/ways/ways.hpp"

namespace {

using namespace lisle;
using namespace lisle::rma;

/// A member whose memory is an array of the test's.
struct window_parts : world_of_one {
    std::array<long, 8> memory{};
    std::array<member, 1> rows;
    window_members members{communicator_ref::share(*find_communicator(MPI_COMM_SELF)), table(), false};

    member_table table() {
        rows[0].facts = {.base = reinterpret_cast<std::uint64_t>(memory.data()),
                         .size = sizeof memory,
                         .unit = sizeof(long),
                         .process = 0};
        return {rows.data(), nullptr, 0, 1};
    }
    static const datatype &longs() { return *find_datatype(MPI_LONG); }
};

} // namespace

TEST_F(window_parts, members_find_each_other_by_context) {
    const std::uint64_t context = members.comm().context();
    EXPECT_EQ(registered<window_members>::find(members.home(), context), &members);
    EXPECT_EQ(registered<window_members>::find(members.home(), context + 1), nullptr);
    std::vector<const window_members *> found;
    registered<window_members>::each_of(members.home(),
                                        [&](window_members &each) { found.push_back(&each); });
    EXPECT_EQ(found, std::vector<const window_members *>{&members});
}

TEST_F(window_parts, addresses_are_within_the_members_memory) {
    const target_data inside{0, 6, 2, &longs()};
    const target_data outside{0, 7, 2, &longs()};
    EXPECT_EQ(direct_address(members, inside, address_of(members, inside)),
              reinterpret_cast<std::byte *>(&memory[6]));
    EXPECT_THROW(static_cast<void>(address_of(members, outside)), mpi_error);
    std::byte *found = nullptr;
    EXPECT_TRUE(members.reach_at_once(0, 7, sizeof(long), found));
    EXPECT_EQ(found, reinterpret_cast<std::byte *>(&memory[7]));
    EXPECT_FALSE(members.reach_at_once(0, 8, sizeof(long), found));
    EXPECT_FALSE(members.reach_at_once(1, 0, sizeof(long), found));
    EXPECT_FALSE(members.reach_at_once(-1, 0, sizeof(long), found));
}

TEST_F(window_parts, ways_to_own_memory_are_complete_when_the_call_returns) {
    access_epoch access;
    message_origin origin{members};
    window_ways ways{members, access, origin};
    const target_data target{0, 3, 1, &longs()};
    const std::uint64_t address = address_of(members, target);
    long value = 7, former = -1;
    EXPECT_EQ(ways.to(0).put({{&value, 1, longs()}, target, address}), nullptr);
    EXPECT_EQ(memory[3], 7);
    EXPECT_EQ(ways.to(0).get({{&former, 1, longs()}, target, address}), nullptr);
    EXPECT_EQ(former, 7);
    const element_update sum{*find_op(MPI_SUM), longs()};
    const typed_buffer into{&former, 1, longs()};
    value = 5;
    EXPECT_EQ(ways.to(0).update({{{&value, 1, longs()}, target, address}, sizeof value, &into, sum}),
              nullptr);
    EXPECT_EQ(former, 7);
    EXPECT_EQ(ways.to(0).fetch({{{&value, 1, longs()}, target, address}, sizeof value, &into, sum}), nullptr);
    EXPECT_EQ(former, 12);
    EXPECT_EQ(memory[3], 17);
    const long wrong = 16, right = 17;
    EXPECT_EQ(ways.to(0).compare({{{&value, 1, longs()}, target, address}, &wrong, &former}), nullptr);
    EXPECT_EQ(memory[3], 17);
    EXPECT_EQ(ways.to(0).compare({{{&value, 1, longs()}, target, address}, &right, &former}), nullptr);
    EXPECT_EQ(former, 17);
    EXPECT_EQ(memory[3], 5);
    ways.flush(-1);
    EXPECT_FALSE(members.goes_by_requests());
}

TEST_F(window_parts, lock_queue_gives_the_lock_in_the_order_of_requests) {
    lock_queue queue{members};
    const auto ids_taken = [&queue] {
        std::vector<std::uint64_t> ids;
        for (; const lock_queue::decision *const next = queue.take(); queue.pop()) {
            EXPECT_EQ(queue.take(), next) << "until it is popped";
            EXPECT_EQ(next->failed, -1);
            ids.push_back(next->id);
        }
        return ids;
    };
    EXPECT_TRUE(queue.try_take(0, lock_word::kind::exclusive));
    EXPECT_FALSE(queue.try_take(0, lock_word::kind::shared));
    queue.ask(0, 1, lock_word::kind::exclusive);
    queue.ask(0, 2, lock_word::kind::shared);
    EXPECT_TRUE(ids_taken().empty());
    EXPECT_TRUE(queue.anyone_waits());
    queue.give_back(0);
    EXPECT_EQ(ids_taken(), std::vector<std::uint64_t>{1});
    EXPECT_TRUE(members.own().lock.held_exclusively());
    queue.give_back(0);
    EXPECT_EQ(ids_taken(), std::vector<std::uint64_t>{2});
    EXPECT_FALSE(queue.anyone_waits());
    EXPECT_FALSE(members.own().lock.held_exclusively());
    queue.give_back(0);
    EXPECT_TRUE(members.own().lock.free());
}

TEST_F(window_parts, lock_queue_forgets_those_that_have_failed) {
    lock_queue queue{members};
    EXPECT_TRUE(queue.try_take(0, lock_word::kind::exclusive));
    queue.ask(0, 1, lock_word::kind::shared);
    EXPECT_EQ(queue.take(), nullptr);
    queue.forget(0);
    EXPECT_FALSE(queue.anyone_waits());
    EXPECT_NE(members.own().broken_by.load(), 0);
    queue.ask(0, 2, lock_word::kind::exclusive);
    const lock_queue::decision *const told = queue.take();
    ASSERT_NE(told, nullptr);
    EXPECT_EQ(told->failed, 0) << "it can never be had, and who has failed is said";
}
