// SPDX-License-Identifier: Apache-2.0
// The mailbox alone: order and contents from several senders, refusal when full, the sleep flag, leases.
#include "fabric/local/mailbox.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <new>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using namespace lisle::fabric;

namespace {

struct aligned_memory {
    explicit aligned_memory(std::size_t bytes)
        : start{static_cast<std::byte *>(std::aligned_alloc(line_bytes, bytes))} {
        std::memset(start, 0, bytes);
    }
    ~aligned_memory() { std::free(start); }
    aligned_memory(const aligned_memory &) = delete;
    aligned_memory &operator=(const aligned_memory &) = delete;
    std::byte *start;
};

/// Of a job of one process; there are no leases where the system has no remote barriers.
const std::atomic<std::int32_t> expecting{lisle::expect_remote_barriers() ? 1 : 0};
const lease_terms terms{.expecting = &expecting, .everyone = 1};

struct box {
    explicit box(mailbox_layout layout)
        : layout{layout}, memory{layout.bytes()}, sender{room(), layout, bell, terms}, receiver{room(),
                                                                                                layout} {}
    [[nodiscard]] mailbox_room room() const { return mailbox_room::of(memory.start, 1, 0, layout); }
    [[nodiscard]] bool leased() const {
        return (reinterpret_cast<mailbox_memory *>(memory.start)->claimed.load() & claim_lease::bit) != 0;
    }
    mailbox_layout layout;
    aligned_memory memory;
    lisle::doorbell bell;
    mailbox_sender sender;
    mailbox_receiver receiver;

    claim_result send(int source, int tag, std::span<const std::byte> payload) {
        packet_slot slot{};
        const auto result = sender.try_claim(signed_by(source), payload.size(), true, slot);
        if (result == claim_result::claimed) {
            *slot.header = {7, source, tag, 1, 0, 0, static_cast<std::uint32_t>(payload.size())};
            std::copy(payload.begin(), payload.end(), slot.payload);
            sender.publish(slot);
        }
        return result;
    }
};

std::vector<std::byte> pattern(int source, int number, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
        data[i] = static_cast<std::byte>(static_cast<unsigned>(source * 31 + number * 7) + i);
    }
    return data;
}

struct checking_sink final : sink {
    std::map<int, int> next;
    int wrong = 0;
    int count = 0;
    void arrived(int peer, const packet_header &header, std::span<const std::byte> payload) override {
        ++count;
        wrong += peer != header.source ? 1 : 0;
        const auto expected = pattern(header.source, header.tag, payload.size());
        if (header.tag != next[header.source]++ ||
            !std::equal(payload.begin(), payload.end(), expected.begin())) {
            ++wrong;
        }
    }
    void peer_failed(int) override { ++wrong; }
};

} // namespace

TEST(mailbox, refuses_when_cells_are_full_and_accepts_again_after_consumption) {
    box here{{64, 256}};
    const auto data = pattern(0, 0, 8);
    for (unsigned i = 0; i < 64; ++i) {
        ASSERT_EQ(here.send(0, static_cast<int>(i), pattern(0, static_cast<int>(i), 8)),
                  claim_result::claimed);
    }
    EXPECT_EQ(here.send(0, 64, data), claim_result::full);
    checking_sink sink;
    EXPECT_EQ(here.receiver.poll(sink, 1000), 64);
    EXPECT_EQ(sink.wrong, 0);
    EXPECT_EQ(here.send(0, 64, pattern(0, 64, 8)), claim_result::claimed);
}

TEST(mailbox, refuses_when_the_data_ring_is_full_but_never_for_ever) {
    box here{{64, 256}};
    const std::size_t largest = mailbox_sender::largest_payload(here.layout);
    checking_sink sink;
    std::mt19937 random{1};
    int sent = 0;
    int refused = 0;
    while (sent < 20000) {
        const std::size_t bytes = random() % (largest + 1);
        if (here.send(3, sent, pattern(3, sent, bytes)) == claim_result::claimed) {
            ++sent;
        } else {
            ++refused;
            ASSERT_GT(here.receiver.poll(sink, 1000), 0) << "full, yet nothing to consume";
        }
    }
    here.receiver.poll(sink, 1000);
    EXPECT_GT(refused, 0);
    EXPECT_EQ(sink.count, sent);
    EXPECT_EQ(sink.wrong, 0);
}

TEST(mailbox, hands_a_packet_out_again_that_found_no_memory) {
    box here{{64, 256}};
    checking_sink sink;
    std::mt19937 random{2};
    const auto handed_out = [&](const packet_header &header, std::span<const std::byte> payload,
                                const cell &packet) {
        if (random() % 2 == 0) {
            throw std::bad_alloc{};
        }
        sink.arrived(packet.sender(), header, payload);
    };
    int failed = 0;
    for (int sent = 0; sent < 2000;) {
        const std::size_t bytes = random() % (mailbox_sender::largest_payload(here.layout) + 1);
        if (here.send(3, sent, pattern(3, sent, bytes)) == claim_result::claimed) {
            ++sent;
            continue;
        }
        try {
            ASSERT_GT(here.receiver.drain(handed_out, 1000), 0) << "full, yet nothing to consume";
        } catch (const std::bad_alloc &) {
            ++failed;
        }
    }
    here.receiver.poll(sink, 1000);
    EXPECT_GT(failed, 100);
    EXPECT_EQ(sink.count, 2000);
    EXPECT_EQ(sink.wrong, 0);
}

TEST(mailbox, writes_nothing_over_a_packet_that_is_held) {
    box here{{64, 256}};
    const std::size_t largest = mailbox_sender::largest_payload(here.layout);
    const auto wanted = pattern(1, 0, largest);
    ASSERT_EQ(here.send(1, 0, wanted), claim_result::claimed);
    std::span<const std::byte> held;
    const auto hold_first = [&](const packet_header &header, std::span<const std::byte> payload,
                                const cell &) {
        if (header.tag == 0) {
            here.receiver.hold();
            held = payload;
        }
    };
    ASSERT_EQ(here.receiver.drain(hold_first, 1), 1);
    EXPECT_TRUE(here.receiver.holds(held.data()));
    EXPECT_FALSE(here.receiver.holds(wanted.data()));
    int sent = 1; // others pass by until there is no room
    while (here.send(1, sent, pattern(1, sent, largest / 2)) == claim_result::claimed) {
        ++sent;
        ASSERT_EQ(here.receiver.drain(hold_first, 1), 1);
        ASSERT_LT(sent, 100);
    }
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), held.begin(), held.end()));
    here.receiver.release();
    EXPECT_EQ(here.send(1, sent, pattern(1, sent, largest)), claim_result::claimed);
}

TEST(mailbox, keeps_the_order_and_contents_of_each_of_several_senders) {
    box here{{64, 256}};
    constexpr int senders = 3;
    constexpr int each = 20000;
    std::vector<std::thread> threads;
    for (int source = 0; source < senders; ++source) {
        threads.emplace_back([&here, source] {
            std::mt19937 random{static_cast<unsigned>(source)};
            for (int number = 0; number < each; ++number) {
                const auto data =
                    pattern(source, number, random() % 5 == 0 ? random() % 2000 : random() % 32);
                while (here.send(source, number, data) != claim_result::claimed) {
                    std::this_thread::yield();
                }
            }
        });
    }
    checking_sink sink;
    while (sink.count < senders * each) {
        if (here.receiver.poll(sink, 16) == 0) {
            std::this_thread::yield();
        }
    }
    for (auto &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(sink.wrong, 0);
}

TEST(mailbox, rings_the_bell_once_for_a_sleeping_receiver) {
    box here{{64, 256}};
    const std::uint32_t before = here.bell.value();
    EXPECT_TRUE(here.receiver.arm());
    EXPECT_EQ(here.send(0, 0, pattern(0, 0, 4)), claim_result::claimed);
    EXPECT_EQ(here.bell.value(), before + 1);
    EXPECT_EQ(here.send(0, 1, pattern(0, 1, 4)), claim_result::claimed);
    EXPECT_EQ(here.bell.value(), before + 1);
    EXPECT_FALSE(here.receiver.arm()) << "something has arrived";
}

TEST(mailbox, tells_senders_of_unsolicited_data_that_the_receiver_is_congested) {
    box here{{64, 256}};
    packet_slot slot{};
    here.receiver.set_congested(true);
    EXPECT_EQ(here.sender.try_claim(signed_by(0), 8, false, slot), claim_result::congested);
    EXPECT_EQ(here.send(0, 0, pattern(0, 0, 8)), claim_result::claimed) << "solicited packets still pass";
    here.receiver.set_congested(false);
    EXPECT_EQ(here.sender.try_claim(signed_by(0), 8, false, slot), claim_result::claimed);
}

TEST(mailbox, wakes_a_receiver_that_sleeps_between_packets) {
    box here{{64, 256}};
    constexpr int count = 3000;
    std::thread sender{[&here] {
        std::mt19937 random{5};
        for (int number = 0; number < count; ++number) {
            while (here.send(0, number, pattern(0, number, 16)) != claim_result::claimed) {
                std::this_thread::yield();
            }
            if (random() % 8 == 0) {
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 20));
            }
        }
    }};
    checking_sink sink;
    while (sink.count < count) {
        const std::uint32_t seen = here.bell.value();
        if (here.receiver.poll(sink, 16) == 0 && here.receiver.arm()) {
            here.bell.sleep(seen); // without a limit: a lost wake-up would hang here
        }
    }
    sender.join();
    EXPECT_EQ(sink.wrong, 0);
}

TEST(mailbox, is_leased_to_a_thread_that_sends_alone_until_another_one_sends) {
    if (!terms.fulfilled()) {
        GTEST_SKIP() << "no remote barriers here";
    }
    box here{{64, 256}};
    checking_sink sink;
    int sent = 0;
    const auto send_some = [&](int source, int count, int &number) {
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ(here.send(source, number, pattern(source, number, i % 3 == 0 ? 100 : 8)),
                      claim_result::claimed);
            ++number;
            here.receiver.poll(sink, 100);
        }
    };
    send_some(0, 50, sent);
    EXPECT_FALSE(here.leased()) << "after a few";
    send_some(0, 300, sent);
    EXPECT_TRUE(here.leased());
    int by_other = 0;
    std::thread{[&] { send_some(1, 1, by_other); }}.join();
    EXPECT_FALSE(here.leased()) << "another thread has sent";
    send_some(0, 2000, sent);
    EXPECT_TRUE(here.leased()) << "alone again";
    EXPECT_TRUE(here.receiver.arm());
    EXPECT_FALSE(here.leased()) << "the receiver sleeps";
    const std::uint32_t before = here.bell.value();
    send_some(0, 1, sent);
    EXPECT_EQ(here.bell.value(), before + 1);
    EXPECT_EQ(sink.wrong, 0);
    EXPECT_EQ(sink.count, sent + by_other);
}

TEST(mailbox, leases_go_to_few_threads_and_the_others_still_send) {
    box here{{64, 256}};
    checking_sink sink;
    constexpr int threads = 12;
    for (int source = 0; source < threads; ++source) {
        std::thread{[&] {
            for (int number = 0; number < 3000; ++number) {
                ASSERT_EQ(here.send(source, number, pattern(source, number, 8)), claim_result::claimed);
                here.receiver.poll(sink, 1);
            }
        }}.join();
    }
    EXPECT_EQ(sink.wrong, 0);
    EXPECT_EQ(sink.count, threads * 3000);
}

// Runs of a few hundred packets by one thread while others now and then send one, and a receiver that sleeps
// when there is nothing: leases are taken and recalled by either side all the time. In many mailboxes, since
// each gives leases more and more rarely.
TEST(mailbox, nothing_is_lost_or_swapped_while_leases_come_and_go) {
    constexpr int senders = 3;
    constexpr int each = 1500;
    for (int round = 0; round < 60; ++round) {
        box here{{64, 256}};
        std::vector<std::thread> threads;
        for (int source = 0; source < senders; ++source) {
            threads.emplace_back([&here, source, round] {
                std::mt19937 random{static_cast<unsigned>(source + round * senders)};
                unsigned left = 0;
                for (int number = 0; number < each; ++number) {
                    const auto data = pattern(source, number, random() % 7 == 0 ? random() % 500 : 8);
                    while (here.send(source, number, data) != claim_result::claimed) {
                        std::this_thread::yield();
                    }
                    if (left-- == 0) {
                        left = static_cast<unsigned>(random() % 400);
                        std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
                    }
                }
            });
        }
        checking_sink sink;
        while (sink.count < senders * each) {
            const std::uint32_t seen = here.bell.value();
            if (here.receiver.poll(sink, 16) == 0 && here.receiver.arm()) {
                here.bell.sleep(seen); // without a limit: a lost wake-up would hang here
            }
        }
        for (auto &thread : threads) {
            thread.join();
        }
        ASSERT_EQ(sink.wrong, 0) << "round " << round;
    }
}

TEST(mailbox, rings_have_sizes_that_the_design_counts_on) {
    for (const int ranks : {1, 128, 129, 1024, 1025, 16384, 16385, 100000}) {
        const auto layout = mailbox_layout::for_job_of(ranks);
        EXPECT_EQ(layout.cells & (layout.cells - 1), 0U);
        EXPECT_EQ(layout.data_lines & (layout.data_lines - 1), 0U);
        // See mailbox_sender::largest_payload: held-back credit and the ring's end must leave room.
        EXPECT_GE(layout.data_lines, layout.data_lines / 4 + 2 * (layout.data_lines / 8));
    }
}
