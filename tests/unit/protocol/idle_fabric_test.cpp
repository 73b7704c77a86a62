// SPDX-License-Identifier: Apache-2.0
// A second fabric that is enabled and has nothing to say: what it may cost the messages of the first. Its
// poll takes a millisecond, many thousand times what a local message takes. Counted is the time inside that
// poll, not the latency, so that the result does not depend on what else the machine does.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "datatype/predefined.hpp"
#include "fabric/local/local_fabric.hpp"
#include "library/process.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "world/lone_bootstrap.hpp"

using namespace lisle;
using namespace lisle::protocol;
using lisle::fabric::local::node_segment;
using std::chrono::steady_clock;

namespace {

/// The processor time that this thread has used.
std::chrono::nanoseconds own_time() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

/// Reaches nobody, and is slow to say so.
class slow_fabric final : public fabric::fabric {
  public:
    explicit slow_fabric(std::atomic<int> &polls) : polls_{polls} {}
    [[nodiscard]] const char *name() const noexcept override { return "slow"; }
    [[nodiscard]] bool reaches(int) const noexcept override { return false; }
    [[nodiscard]] ::lisle::fabric::route_limits limits(int) const noexcept override {
        return {.largest_payload = 1024};
    }
    [[nodiscard]] ::lisle::fabric::claim_result try_claim(int, int, std::size_t, bool,
                                                          ::lisle::fabric::packet_slot &) noexcept override {
        return ::lisle::fabric::claim_result::full;
    }
    void publish(int, ::lisle::fabric::packet_slot &) noexcept override {}
    int poll(int, ::lisle::fabric::sink &, int) override {
        polls_.fetch_add(1, std::memory_order_relaxed);
        const std::chrono::nanoseconds before = own_time();
        for (const auto start = steady_clock::now(); steady_clock::now() - start < poll_time;) {
        }
        time_in_polls += own_time() - before;
        return 0;
    }
    [[nodiscard]] bool arm(int) noexcept override { return true; }
    void set_congested(int, bool) noexcept override {}
    [[nodiscard]] ::lisle::fabric::waking wakes(int) const noexcept override {
        return {.how = ::lisle::fabric::waking::by::polling, .nanoseconds = 1'000'000};
    }

    static constexpr std::chrono::milliseconds poll_time{1};
    /// Of this thread's processor time, which does not depend on what else the machine does.
    static inline thread_local std::chrono::nanoseconds time_in_polls{0};

  private:
    std::atomic<int> &polls_;
};

} // namespace

namespace {

/// Local messages beside the slow device must leave it at most one part in `parts` of the time. @param
/// awaited a receive is pending that it might complete
void expect_small_share(int parts, bool awaited) {
    const job_shape shape{.ranks_of_process = {1}};
    std::atomic<int> polls{0};
    const fabric_maker makers[] = {
        [](node_segment &of, const bootstrap &start) -> std::unique_ptr<fabric::fabric> {
            return std::make_unique<fabric::local::local_fabric>(of, start, std::nullopt);
        },
        [&](node_segment &, const bootstrap &) -> std::unique_ptr<fabric::fabric> {
            return std::make_unique<slow_fabric>(polls);
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
        while (steady_clock::now() - start < std::chrono::seconds{2} || polls.load() <= 5) {
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
        const auto spent = steady_clock::now() - start;
        EXPECT_GT(polls.load(), 5) << "the other fabric must be asked now and then";
        EXPECT_LT(polls.load() * slow_fabric::poll_time * parts, spent);
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
// of their latencies, of which the slowest one's is nearly all. A message comes at any moment of the round.
// The figures are printed; what is tested is whose time the receiver spends.
TEST(idle_fabric, asked_in_turn_makes_messages_wait_for_half_its_time) {
    const bool in_turn = chosen_progress() == progress_manner::round_robin;
    const job_shape shape{.ranks_of_process = {2}};
    std::atomic<int> polls{0};
    const fabric_maker makers[] = {
        [](node_segment &of, const bootstrap &start) -> std::unique_ptr<fabric::fabric> {
            return std::make_unique<fabric::local::local_fabric>(of, start, std::nullopt);
        },
        [&](node_segment &, const bootstrap &) -> std::unique_ptr<fabric::fabric> {
            return std::make_unique<slow_fabric>(polls);
        }};
    process both{std::make_unique<lone_bootstrap>(shape), node_segment::private_to_process(shape), makers};
    rank &receiver = both.enter(0);
    rank &sender = both.enter(1);
    constexpr int messages = 300;
    const group_ref members = make_group({0, 1});
    std::thread sending{[&] {
        become(&sender);
        const channel to_receiver = make_channel(4, 1, *members);
        std::mt19937 random{11};
        for (int i = 0; i != messages; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds{2000 + random() % 2000});
            const auto now = steady_clock::now().time_since_epoch().count();
            send({&now, sizeof now, *find_datatype(MPI_BYTE)}, to_receiver, 0, 1);
        }
        become(nullptr);
    }};
    rank *const former = become(&receiver);
    {
        const channel from_sender = make_channel(4, 0, *members);
        std::vector<double> waited;
        const std::chrono::nanoseconds used_before = own_time();
        slow_fabric::time_in_polls = {};
        for (int i = 0; i != messages; ++i) {
            steady_clock::rep sent = 0;
            auto *const receiving =
                start_receive({&sent, sizeof sent, *find_datatype(MPI_BYTE)}, from_sender, 1, 1);
            protocol::wait(*receiving);
            waited.push_back(1e-3 *
                             static_cast<double>(steady_clock::now().time_since_epoch().count() - sent));
            receiving->free();
        }
        sending.join();
        std::ranges::sort(waited);
        std::printf(
            "%s: messages wait %.1f us (median), %.1f us (mean); the slow device's latency is 1000 us\n",
            in_turn ? "in turn" : "by share", waited[messages / 2],
            std::accumulate(waited.begin(), waited.end(), 0.0) / messages);
        if (in_turn) { // a message interrupts nothing, so nearly all time is the slow device's
            EXPECT_GT(2 * slow_fabric::time_in_polls, own_time() - used_before);
        }
    }
    become(former);
    both.get_job().leave(receiver);
    both.get_job().leave(sender);
}
