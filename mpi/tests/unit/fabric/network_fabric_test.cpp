// SPDX-License-Identifier: Apache-2.0
// The network fabric between "processes" that are objects of this process, over the loopback interface.
#include "fabric/network/network_fabric.hpp"
#include "fabric/network/ofi/severing.hpp"
#include "received.hpp"
#include "shuffling_device.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <poll.h>
#include <random>
#include <thread>

namespace {

using namespace lisle::fabric;
using namespace lisle::fabric::network;

constexpr job_secret secret{{std::byte{0x12}, std::byte{0x34}}};

struct heard final : copy_completion {
    int ends = 0;
    bool moved = false;
    void copied(bool how) override {
        ++ends;
        moved = how;
    }
};

/// The device is the default one, or what LISLE_NETWORK_PROVIDER says. With LISLE_TEST_SHUFFLED messages end
/// in another order than they were sent in, and with LISLE_TEST_RAILS each process has two of it.
std::string wanted_provider() {
    const char *const wanted = std::getenv("LISLE_NETWORK_PROVIDER");
    return wanted != nullptr ? wanted : "";
}

/// A job of processes with two ranks each.
class network : public testing::Test {
  protected:
    static constexpr int ranks_each = 2;

    void begin(int processes, job_secret last_secret = secret) {
        const provider_request wanted{wanted_provider(), wanted_interface};
        std::vector<choice> chosen;
        for (int process = 0; process != processes; ++process) {
            try {
                chosen = choose_providers(wanted);
                if (std::getenv("LISLE_TEST_SHUFFLED") != nullptr) {
                    chosen = shuffled(std::move(chosen));
                }
                if (std::getenv("LISLE_TEST_RAILS") != nullptr) {
                    chosen.push_back(chosen.front());
                }
            } catch (const std::exception &none) {
                GTEST_SKIP() << none.what();
            }
            job_view view{processes * ranks_each,
                          processes,
                          process * ranks_each,
                          ranks_each,
                          [](int rank) { return rank / ranks_each; },
                          [](int other) { return other * ranks_each; },
                          [process](int rank) { return rank / ranks_each != process; },
                          process == processes - 1 ? last_secret : secret};
            view.connecting = connecting;
            view.traffic = &traffic[static_cast<std::size_t>(process)];
            all.push_back(std::make_unique<network_fabric>(chosen, std::move(view), [this](int peer) {
                const auto &other = all[static_cast<std::size_t>(peer / ranks_each)];
                return other ? other->address(peer) : endpoint_address{};
            }));
        }
    }

    struct copiers {
        remote_memory *owner = nullptr, *copier = nullptr;
    };
    /// Two processes that are connected; what rank 0 reads and writes rank 2's memory with. Null if the
    /// provider has no such thing.
    copiers begin_copies() {
        begin(2);
        if (all.size() != 2) {
            return {};
        }
        const copiers found{of(2).memory(0), of(0).memory(2)};
        EXPECT_EQ(send(0, 2, 1, 8), claim_result::claimed);
        EXPECT_TRUE(poll_until([&] { return sinks[2].packets.size() == 1; }));
        return found;
    }

    network_fabric &of(int rank) { return *all[static_cast<std::size_t>(rank / ranks_each)]; }

    claim_result send(int from, int to, int tag, std::size_t bytes, bool solicited = false,
                      bool may_overtake = false, bool may_be_held = false) {
        packet_slot slot{};
        const claim_result result = of(from).try_claim(from, to, bytes, solicited, slot);
        if (result == claim_result::claimed) {
            *slot.header = {7, from, tag, 1, 0, 0, static_cast<std::uint32_t>(bytes)};
            std::memset(slot.payload, tag & 0xff, bytes);
            slot.may_overtake = may_overtake;
            slot.may_be_held = may_be_held;
            of(from).publish(to, slot);
        }
        return result;
    }

    void poll_all() {
        for (int rank = 0; rank != static_cast<int>(all.size()) * ranks_each; ++rank) {
            if (all[static_cast<std::size_t>(rank / ranks_each)]) {
                of(rank).poll(rank, sinks[rank], 16);
            }
        }
    }

    /// Polls until something holds, for a long time at most.
    bool poll_until(const std::function<bool()> &holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            poll_all();
        }
        return true;
    }

    /// Both ranks of a process leave; those of the others look for news meanwhile.
    void leave_while_others_poll(int first) {
        std::atomic<bool> gone{false};
        std::thread leaving{[&, this] {
            of(first).leave(first);
            of(first).leave(first + 1);
            gone.store(true);
        }};
        while (!gone.load()) {
            for (int rank = 0; rank != static_cast<int>(all.size()) * ranks_each; ++rank) {
                if (rank / ranks_each != first / ranks_each) {
                    of(rank).poll(rank, sinks[rank], 16);
                }
            }
        }
        leaving.join();
    }

    std::string wanted_interface{"lo"}; ///< or a network
    std::chrono::milliseconds connecting{5};
    std::array<lisle::traffic_count, 4> traffic; ///< by process
    std::vector<std::unique_ptr<network_fabric>> all;
    std::map<int, received> sinks;
};

TEST_F(network, what_is_under_way_shows_in_the_counts_until_its_rank_has_it) {
    begin(2);
    if (all.size() != 2) {
        return;
    }
    EXPECT_EQ(send(0, 2, 1, 8), claim_result::claimed);
    EXPECT_EQ(send(0, 3, 1, 100), claim_result::claimed);
    EXPECT_EQ(traffic[0].sent.load(), 2U);
    // Rank 2 takes its own packet, and leaves the other one to rank 3.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (sinks[2].packets.empty() && std::chrono::steady_clock::now() < end) {
        of(0).poll(0, sinks[0], 16);
        of(2).poll(2, sinks[2], 16);
    }
    EXPECT_EQ(traffic[1].received.load(), 1U);
    ASSERT_TRUE(poll_until([&] { return sinks[3].packets.size() == 1; }));
    EXPECT_EQ(traffic[1].received.load(), 2U);
    EXPECT_EQ(traffic[1].sent.load(), 0U);
    EXPECT_EQ(traffic[0].received.load(), 0U);
}

/// The same over IPv4 and over IPv6.
class network_over : public network, public testing::WithParamInterface<const char *> {
  protected:
    void SetUp() override {
        wanted_interface = GetParam();
        try {
            static_cast<void>(choose_providers({wanted_provider(), wanted_interface}));
        } catch (const std::exception &none) {
            GTEST_SKIP() << none.what();
        }
    }
};
INSTANTIATE_TEST_SUITE_P(loopback, network_over, testing::Values("127.0.0.1/32", "::1/128"),
                         [](const auto &family) {
                             return std::string{std::strchr(family.param, ':') != nullptr ? "IPv6" : "IPv4"};
                         });

TEST_F(network, packets_of_all_sizes_arrive_whole_and_in_order) {
    begin(3);
    std::mt19937 random{7};
    std::map<std::pair<int, int>, std::vector<std::pair<int, std::size_t>>> sent;
    std::size_t total = 0;
    for (int tag = 0; tag != 1500; ++tag) {
        const int from = static_cast<int>(random() % 6);
        const int to = static_cast<int>((static_cast<unsigned>(from) + 2U + random() % 2U * 2U) % 6U);
        const std::size_t bytes = random() % 4 == 0 ? random() % 65537 : random() % 100;
        while (send(from, to, tag, bytes, false, false, tag % 3 != 0) != claim_result::claimed) {
            poll_all();
        }
        sent[{from, to}].emplace_back(tag, bytes);
        ++total;
    }
    ASSERT_TRUE(poll_until([&] {
        std::size_t count = 0;
        for (const auto &[rank, sink] : sinks) {
            count += sink.packets.size();
        }
        return count == total;
    }));
    for (const auto &[rank, sink] : sinks) {
        std::map<int, std::size_t> next;
        for (const auto &packet : sink.packets) {
            const auto &expected = sent[{packet.peer, rank}].at(next[packet.peer]++);
            ASSERT_EQ(packet.tag, expected.first);
            ASSERT_EQ(packet.payload, std::vector<std::byte>(expected.second, std::byte(packet.tag & 0xff)));
        }
        EXPECT_TRUE(sink.failed.empty());
    }
}

TEST_F(network, memory_is_read_and_written_without_its_owner) {
    std::vector<std::byte> theirs(1 << 20, std::byte{5});
    std::vector<std::byte> mine(1 << 20);
    const auto [owner, copier] = begin_copies();
    if (owner == nullptr || copier == nullptr) {
        GTEST_SKIP() << "no provider that copies foreign memory";
    }
    const auto key = owner->expose(theirs.data(), theirs.size());
    ASSERT_TRUE(key);
    heard end;
    const std::array<iovec, 2> pieces{iovec{mine.data(), 1000}, iovec{mine.data() + 5000, 70000}};
    const remote_place from{2, reinterpret_cast<std::uint64_t>(theirs.data()) + 100, *key};
    const std::uint64_t received_before = traffic[0].received.load();
    EXPECT_EQ(traffic[0].sent.load(), received_before + 1U); // the packet that has connected them
    ASSERT_EQ(copier->start_read(1, from, pieces, end), copy_start::under_way);
    EXPECT_EQ(traffic[0].sent.load(), received_before + 2U);
    ASSERT_TRUE(poll_until([&] { return end.ends == 1; }));
    EXPECT_EQ(traffic[0].received.load(), received_before + 1U);
    EXPECT_TRUE(end.moved);
    EXPECT_EQ(mine[999], std::byte{5});
    EXPECT_EQ(mine[1000], std::byte{0});
    EXPECT_EQ(mine[74999], std::byte{5});
    EXPECT_EQ(mine[75000], std::byte{0});
    std::memset(mine.data(), 9, mine.size());
    const iovec all_of_mine{mine.data(), mine.size()};
    ASSERT_EQ(copier->start_write(0, {2, reinterpret_cast<std::uint64_t>(theirs.data()), *key},
                                  {&all_of_mine, 1}, end),
              copy_start::under_way);
    ASSERT_TRUE(poll_until([&] { return end.ends == 2; }));
    EXPECT_TRUE(end.moved);
    EXPECT_EQ(theirs, mine);
    owner->withdraw(*key);
}

TEST_P(network_over, a_copy_ends_when_its_connection_is_severed) {
    std::vector<std::byte> theirs(64 << 20), mine(64 << 20);
    const auto [owner, copier] = begin_copies();
    if (owner == nullptr || copier == nullptr) {
        GTEST_SKIP() << "no provider that copies foreign memory";
    }
    const auto key = owner->expose(theirs.data(), theirs.size());
    ASSERT_TRUE(key);
    heard end;
    const iovec all_of_mine{mine.data(), mine.size()};
    ASSERT_EQ(copier->start_read(1, {2, reinterpret_cast<std::uint64_t>(theirs.data()), *key},
                                 {&all_of_mine, 1}, end),
              copy_start::under_way);
    const auto poll_copier = [this] {
        for (int round = 0; round != 1000; ++round) {
            of(0).poll(1, sinks[1], 16);
        }
    };
    poll_copier(); // the owner does not move, so the copy does not end by itself
    EXPECT_EQ(end.ends, 0);
    const auto endpoint = [this](int rank) { // with one rail it stands last
        const endpoint_address whole = of(rank).address(rank);
        const std::size_t length = wanted_interface == "::1/128" ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
        return lisle::tcp::socket_address{std::span{whole}.last(length)};
    };
    sever_connections(endpoint(0), endpoint(2));
    poll_copier();
    EXPECT_EQ(end.ends, 1);
    EXPECT_FALSE(end.moved);
    EXPECT_EQ(sinks[1].failed, (std::vector{2, 3}));
    owner->withdraw(*key);
}

TEST_F(network, a_congested_rank_gets_only_what_it_asked_for) {
    begin(2);
    ASSERT_EQ(send(0, 2, 1, 8), claim_result::claimed);
    ASSERT_TRUE(poll_until([&] { return sinks[2].packets.size() == 1; }));
    of(2).set_congested(2, true);
    ASSERT_TRUE(poll_until([&] { return send(0, 2, 2, 8) == claim_result::congested; }));
    EXPECT_EQ(send(0, 2, 3, 8, true), claim_result::claimed);
    EXPECT_EQ(send(0, 3, 4, 8), claim_result::claimed);
    of(2).set_congested(2, false);
    EXPECT_TRUE(poll_until([&] { return send(0, 2, 5, 8) == claim_result::claimed; }));
}

TEST_F(network, an_urgent_packet_overtakes_what_waits) {
    begin(2);
    constexpr int urgent = 1000, at_the_provider = 8;
    int bulk = 0;
    while (bulk != 30 && send(0, 2, bulk, 60000) == claim_result::claimed) {
        ++bulk;
    }
    ASSERT_GT(bulk, 2 * at_the_provider);
    ASSERT_EQ(send(0, 2, urgent, 8, true, true), claim_result::claimed);
    ASSERT_TRUE(poll_until([&] { return static_cast<int>(sinks[2].packets.size()) == bulk + 1; }));
    int next = 0, before_urgent = -1;
    for (const auto &packet : sinks[2].packets) {
        if (packet.tag == urgent) {
            before_urgent = next;
        } else {
            EXPECT_EQ(packet.tag, next++);
        }
    }
    EXPECT_GE(before_urgent, 0);
    EXPECT_LE(before_urgent, at_the_provider);
}

TEST_F(network, a_sender_sends_what_publishers_leave_to_it) {
    begin(3);
    std::atomic<int> calls{0};
    of(0).leave_sending_to([&calls] { ++calls; });
    EXPECT_EQ(of(0).send_some(), send_step::nothing);
    constexpr int packets = 10;
    for (int tag = 0; tag != packets; ++tag) {
        ASSERT_EQ(send(0, 2, tag, 40000), claim_result::claimed);
        ASSERT_EQ(send(0, 4, tag, 8), claim_result::claimed);
    }
    EXPECT_EQ(calls.load(), 2 * packets);
    for (int round = 0; round != 100; ++round) {
        poll_all();
    }
    EXPECT_TRUE(sinks[2].packets.empty() && sinks[4].packets.empty());
    ASSERT_TRUE(poll_until([&] {
        static_cast<void>(of(0).send_some());
        return sinks[2].packets.size() == packets && sinks[4].packets.size() == packets;
    }));
    for (int tag = 0; tag != packets; ++tag) {
        EXPECT_EQ(sinks[2].packets[static_cast<std::size_t>(tag)].tag, tag);
        EXPECT_EQ(sinks[4].packets[static_cast<std::size_t>(tag)].tag, tag);
    }
    EXPECT_EQ(of(0).send_some(), send_step::nothing);
    of(0).leave_sending_to({});
    ASSERT_EQ(send(0, 2, packets, 8), claim_result::claimed);
    EXPECT_TRUE(poll_until([&] { return sinks[2].packets.size() == packets + 1; }));
}

TEST_F(network, a_stranger_is_not_heard) {
    begin(2, job_secret{{std::byte{0x43}}});
    ASSERT_EQ(send(2, 0, 1, 8), claim_result::claimed);
    // Where connections greet, the one that has called finds out first; where its pulse alone does, the
    // stranger takes the other for one that has ended.
    ASSERT_TRUE(
        poll_until([&] { return of(0).dropped() + of(2).dropped() != 0 || !sinks[2].failed.empty(); }));
    EXPECT_TRUE(sinks[0].packets.empty());
}

TEST_P(network_over, a_process_that_is_gone_is_noticed_by_ranks_that_only_wait) {
    begin(2);
    ASSERT_EQ(send(0, 2, 1, 8), claim_result::claimed);
    ASSERT_TRUE(poll_until([&] { return sinks[2].packets.size() == 1; }));
    all[1].reset();
    ASSERT_TRUE(poll_until([&] {
        if (sinks[0].failed.empty() && of(0).arm(0) && of(0).wakes(0).how == waking::by::descriptor) {
            pollfd waited{of(0).wakes(0).descriptor, POLLIN, 0};
            ::poll(&waited, 1, 5000);
        }
        return !sinks[0].failed.empty();
    }));
    EXPECT_EQ(sinks[0].failed, (std::vector{2, 3}));
    EXPECT_EQ(send(0, 3, 2, 8), claim_result::failed);
    EXPECT_TRUE(poll_until([&] { return sinks[1].failed.size() == 2; }));
}

TEST_F(network, a_process_that_has_left_has_not_failed) {
    begin(3);
    ASSERT_EQ(send(0, 2, 1, 8), claim_result::claimed);
    ASSERT_EQ(send(0, 4, 1, 8), claim_result::claimed);
    ASSERT_TRUE(poll_until([&] { return sinks[2].packets.size() + sinks[4].packets.size() == 2; }));
    leave_while_others_poll(2);
    of(4).leave(4); // and rank 5 has not
    all[1].reset();
    all[2].reset();
    ASSERT_TRUE(poll_until([&] { return !sinks[0].failed.empty(); }));
    EXPECT_EQ(sinks[0].failed, (std::vector{4, 5}));
}

TEST_F(network, the_first_packet_leaves_though_its_sender_calls_no_more) {
    connecting = std::chrono::seconds{20};
    begin(2);
    of(0).connect(2, of(2).address(2));
    std::thread receiver{[this] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (sinks[2].packets.empty() && std::chrono::steady_clock::now() < end) {
            of(2).poll(2, sinks[2], 16);
        }
    }};
    ASSERT_EQ(send(0, 2, 1, 8), claim_result::claimed);
    receiver.join();
    EXPECT_EQ(sinks[2].packets.size(), 1U);
}

TEST_F(network, packets_that_may_be_held_leave_though_their_sender_calls_no_more) {
    begin(2);
    constexpr int packets = 7;
    ASSERT_EQ(send(0, 2, 0, 8), claim_result::claimed);
    ASSERT_TRUE(poll_until([&] { return sinks[2].packets.size() == 1; }));
    for (int round = 0; round != 3; ++round) {
        sinks[2].packets.clear();
        for (int tag = 0; tag != packets; ++tag) {
            ASSERT_EQ(send(0, 2, tag, tag == 3 ? 5000 : 8, false, false, tag != 5), claim_result::claimed);
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (sinks[2].packets.size() != packets && std::chrono::steady_clock::now() < end) {
            of(2).poll(2, sinks[2], 16);
        }
        ASSERT_EQ(sinks[2].packets.size(), packets);
        for (int tag = 0; tag != packets; ++tag) {
            EXPECT_EQ(sinks[2].packets[static_cast<std::size_t>(tag)].tag, tag);
        }
        poll_all(); // gives the buffers back
    }
}

TEST_F(network, what_a_process_has_sent_before_it_left_arrives) {
    begin(2);
    constexpr int packets = 20;
    for (int tag = 0; tag != packets; ++tag) { // nobody has polled: they wait for their connection
        ASSERT_EQ(send(0, 2, tag, tag % 5 == 4 ? 60000 : 8, false, false, true), claim_result::claimed);
    }
    leave_while_others_poll(0);
    all[0].reset();
    EXPECT_TRUE(poll_until([&] { return sinks[2].packets.size() == packets; }));
    EXPECT_TRUE(sinks[2].failed.empty());
}

TEST_F(network, a_process_leaves_when_its_peers_know_and_its_end_is_no_failure_then) {
    begin(2);
    ASSERT_EQ(send(0, 2, 1, 8), claim_result::claimed);
    std::atomic<bool> gone{false};
    std::thread leaving{[&, this] {
        of(0).leave(0);
        of(0).leave(1);
        gone.store(true);
    }};
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    EXPECT_FALSE(gone.load()); // nobody has looked for what it sent
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    while (!gone.load() && std::chrono::steady_clock::now() < end) {
        of(2).poll(2, sinks[2], 1);
    }
    EXPECT_TRUE(gone.load());
    leaving.join();
    EXPECT_EQ(sinks[2].packets.size(), 1U);
    all[0].reset();
    const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds{200};
    while (std::chrono::steady_clock::now() < later) {
        of(2).poll(2, sinks[2], 16);
    }
    EXPECT_TRUE(sinks[2].failed.empty());
}

TEST_F(network, a_sleeping_rank_wakes_when_its_packet_arrives) {
    begin(2);
    received &of_sender = sinks[0];
    received &of_sleeper = sinks[3];
    std::thread sender{[&, this] {
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
        while (send(0, 3, 1, 8) != claim_result::claimed || !of_sender.packets.empty()) {
            of(0).poll(0, of_sender, 16);
        }
        for (int i = 0; i != 1000; ++i) {
            of(0).poll(0, of_sender, 16);
            std::this_thread::sleep_for(std::chrono::microseconds{100});
        }
    }};
    while (of_sleeper.packets.empty()) {
        of(3).poll(3, of_sleeper, 16);
        if (of_sleeper.packets.empty() && of(3).arm(3)) {
            const waking how = of(3).wakes(3);
            ASSERT_EQ(how.how, waking::by::descriptor);
            pollfd waited{how.descriptor, POLLIN, 0};
            EXPECT_EQ(::poll(&waited, 1, 20000), 1);
        }
    }
    sender.join();
}

} // namespace
