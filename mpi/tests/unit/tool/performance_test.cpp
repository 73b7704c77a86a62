// SPDX-License-Identifier: Apache-2.0
// Performance variables: what they count, and what starting, stopping and resetting a handle does to it.
#include <gtest/gtest.h>
#include <set>
#include <string_view>

#include "../abi/world_of_one.hpp"
#include "communicator/communicator.hpp"
#include "execution/rank.hpp"
#include "tool/performance.hpp"

using namespace lisle;
using namespace lisle::tool;

namespace {

/// A variable whose value the test sets.
std::uint64_t shown = 0;
std::uint64_t show(const communicator *) {
    return shown;
}
constexpr performance_variable counter{"counter", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_NO_OBJECT, "", show};
constexpr performance_variable level{"level", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_NO_OBJECT, "", show};

const performance_variable &variable_named(std::string_view name) {
    const auto table = performance_variables();
    return table[static_cast<std::size_t>(index_of(table, name))];
}

class performance : public world_of_one {
  protected:
    performance_session session{};
};

} // namespace

TEST_F(performance, counters_count_from_their_start_to_their_stop) {
    shown = 100;
    performance_handle handle{session, counter, nullptr};
    shown = 110;
    EXPECT_EQ(handle.read(), 0U) << "not started yet";
    handle.start();
    shown = 115;
    EXPECT_EQ(handle.read(), 5U);
    handle.start();
    shown = 116;
    EXPECT_EQ(handle.read(), 6U) << "starting what runs changes nothing";
    handle.stop();
    shown = 200;
    EXPECT_EQ(handle.read(), 6U);
    handle.stop();
    EXPECT_EQ(handle.read(), 6U) << "stopping what stands changes nothing";
    handle.start();
    shown = 203;
    EXPECT_EQ(handle.read(), 9U) << "it counts on from where it stopped";
}

TEST_F(performance, reset_counters_count_from_there) {
    shown = 0;
    performance_handle handle{session, counter, nullptr};
    handle.start();
    shown = 10;
    handle.reset();
    EXPECT_EQ(handle.read(), 0U);
    shown = 12;
    EXPECT_EQ(handle.read(), 2U);
    handle.stop();
    shown = 50;
    handle.reset();
    EXPECT_EQ(handle.read(), 0U);
    shown = 60;
    handle.start();
    EXPECT_EQ(handle.read(), 0U) << "what passed while it stood does not count";
}

TEST_F(performance, levels_show_what_is_now) {
    const performance_handle handle{session, level, nullptr};
    shown = 7;
    EXPECT_EQ(handle.read(), 7U);
    shown = 3;
    EXPECT_EQ(handle.read(), 3U);
}

TEST_F(performance, handles_remember_their_session_and_variable) {
    const performance_handle handle{session, level, nullptr};
    EXPECT_EQ(&handle.session(), &session);
    EXPECT_EQ(&handle.variable(), &level);
}

TEST_F(performance, variables_are_told_apart_by_name_and_say_what_they_mean) {
    std::set<std::string_view> names;
    for (const performance_variable &each : performance_variables()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_STRNE(each.meaning, "") << each.name;
        EXPECT_NE(each.value, nullptr) << each.name;
        EXPECT_EQ(each.counts(), each.variable_class != MPI_T_PVAR_CLASS_LEVEL) << each.name;
    }
}

TEST_F(performance, unexpected_messages_are_counted_and_stored_until_they_are_received) {
    performance_handle messages{session, variable_named("lisle_unexpected_messages"), nullptr};
    performance_handle bytes{session, variable_named("lisle_unexpected_bytes"), nullptr};
    const performance_handle stored{session, variable_named("lisle_unexpected_bytes_stored"), nullptr};
    messages.start();
    bytes.start();
    const std::uint64_t before = stored.read();
    int numbers[10] = {};
    for (int tag : {1, 2, 3}) {
        ASSERT_EQ(MPI_Send(numbers, 10, MPI_INT, 0, tag, MPI_COMM_SELF), MPI_SUCCESS);
    }
    ASSERT_EQ(MPI_Probe(0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(messages.read(), 3U);
    EXPECT_EQ(bytes.read(), 3 * sizeof numbers);
    EXPECT_GE(stored.read() - before, 3 * sizeof numbers) << "what is kept beside the data counts as well";
    for (int tag : {3, 2, 1}) {
        ASSERT_EQ(MPI_Recv(numbers, 10, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    EXPECT_EQ(stored.read(), before);
    EXPECT_EQ(messages.read(), 3U);
}

TEST_F(performance, collectives_are_counted_for_each_communicator) {
    performance_handle world{session, variable_named("lisle_collectives"), this_rank().world};
    world.start();
    ASSERT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    ASSERT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    ASSERT_EQ(MPI_Barrier(MPI_COMM_SELF), MPI_SUCCESS);
    EXPECT_EQ(world.read(), 2U);
}
