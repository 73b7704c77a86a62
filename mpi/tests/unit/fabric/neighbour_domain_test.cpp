// SPDX-License-Identifier: Apache-2.0
// The fabric of shared memory between jobs that have met: between "processes" that are objects of this
// process, and with real ones that end.
#include "fabric/local/neighbour_domain.hpp"

#include <array>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "fabric/local/local_fabric.hpp"
#include "received.hpp"

namespace {

using namespace lisle::fabric;
using lisle::fabric::local::local_fabric;
using lisle::fabric::local::neighbour_domain;
using lisle::fabric::local::read_thresholds;

constexpr lisle::job_id first_job{1}, second_job{2};

/// Two processes of one job, with one and with two ranks, and one of another job with three, on one machine.
introduction meeting(std::size_t self) {
    introduction all{{{std::byte{0x12}}}, {}, self, {}, {}};
    all.processes = {
        {{first_job, 0}, 0, 0, 1, 7}, {{first_job, 1}, 0, 1, 2, 7}, {{second_job, 0}, 0, 0, 3, 7}};
    all.knows.resize(all.size() * all.size());
    all.knows[all.pair(0, 1)] = all.knows[all.pair(1, 0)] = true;
    all.in_memory.resize(all.size());
    return all;
}

/// What a process makes to meet others, and then the fabric to them.
class neighbour {
  public:
    explicit neighbour(const introduction &all, read_thresholds reads = {})
        : domain_{std::make_unique<neighbour_domain>(all, reads)} {}
    [[nodiscard]] endpoint_address offer() const { return domain_->offer(); }
    [[nodiscard]] bool open(const std::vector<endpoint_address> &offers) { return domain_->open(offers); }
    void begin() {
        domain_->close();
        met_ = std::make_unique<local_fabric>(std::move(domain_));
    }
    [[nodiscard]] local_fabric &met() { return *met_; }

  private:
    std::unique_ptr<neighbour_domain> domain_;
    std::unique_ptr<local_fabric> met_;
};

claim_result send(local_fabric &over, int from, int to, int tag, std::span<const std::byte> payload = {}) {
    packet_slot slot{};
    const claim_result claimed = over.try_claim(from, to, payload.size(), true, slot);
    if (claimed == claim_result::claimed) {
        *slot.header = {0, from, tag, 0, 0, 0, static_cast<std::uint32_t>(payload.size())};
        over.fill(to, slot, payload.data(), payload.size());
        over.publish(to, slot);
    }
    return claimed;
}

/// All three, which have met.
class neighbours : public testing::Test {
  protected:
    neighbours() {
        std::vector<endpoint_address> offers;
        for (std::size_t each = 0; each != 3; ++each) {
            all.push_back(std::make_unique<neighbour>(meeting(each), read_thresholds{.least = 1000}));
            offers.push_back(all.back()->offer());
        }
        for (std::size_t each = 0; each != 3; ++each) {
            EXPECT_TRUE(all[each]->open(offers));
        }
        for (std::size_t each = 0; each != 3; ++each) {
            all[each]->begin();
        }
    }
    local_fabric &of(std::size_t process) { return all[process]->met(); }

    std::vector<std::unique_ptr<neighbour>> all;
};

TEST_F(neighbours, reach_the_ranks_of_the_other_job_only) {
    for (int rank = -1; rank != 8; ++rank) {
        EXPECT_EQ(of(0).reaches(rank), rank >= 3 && rank < 6) << rank;
        EXPECT_EQ(of(1).reaches(rank), rank >= 3 && rank < 6) << rank;
        EXPECT_EQ(of(2).reaches(rank), rank >= 0 && rank < 3) << rank;
    }
}

TEST_F(neighbours, exchange_packets_of_all_sizes_in_order) {
    const std::size_t most = of(0).limits(3).largest_payload;
    std::vector<std::byte> payload(most);
    received there;
    int sent = 0, got = 0;
    for (std::size_t bytes = 0; bytes <= most; bytes = bytes * 3 + 1) {
        payload[0] = static_cast<std::byte>(sent);
        ASSERT_EQ(send(of(1), 2, 4, sent, std::span{payload}.first(bytes)), claim_result::claimed);
        ++sent;
        got += of(2).poll(4, there, 100);
    }
    ASSERT_EQ(got, sent);
    for (int i = 0; i != sent; ++i) {
        const received::packet &one = there.packets[static_cast<std::size_t>(i)];
        EXPECT_EQ(one.peer, 2);
        EXPECT_EQ(one.tag, i);
        EXPECT_TRUE(one.payload.empty() || one.payload[0] == static_cast<std::byte>(i));
    }
    received others;
    EXPECT_EQ(of(2).poll(3, others, 100) + of(2).poll(5, others, 100), 0);
}

TEST_F(neighbours, wake_a_rank_that_sleeps) {
    const waking how = of(2).wakes(5);
    ASSERT_EQ(how.how, waking::by::descriptor);
    pollfd sleeping{.fd = how.descriptor, .events = POLLIN, .revents = 0};
    received there;
    for (int round = 0; round != 3; ++round) {
        ASSERT_TRUE(of(2).arm(5));
        EXPECT_EQ(poll(&sleeping, 1, 0), 0);
        std::thread sender{[&] { EXPECT_EQ(send(of(0), 0, 5, round), claim_result::claimed); }};
        EXPECT_EQ(poll(&sleeping, 1, 10'000), 1);
        sender.join();
        EXPECT_EQ(of(2).poll(5, there, 100), 1);
    }
    ASSERT_EQ(send(of(0), 0, 5, 3), claim_result::claimed);
    EXPECT_FALSE(of(2).arm(5)); // something is there
}

TEST_F(neighbours, wake_a_rank_when_no_descriptor_is_left) {
    pollfd sleeping{.fd = of(2).wakes(4).descriptor, .events = POLLIN, .revents = 0};
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 100;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<lisle::owned_descriptor> others;
    while (others.empty() || others.back()) {
        others.emplace_back(dup(0));
    }
    const bool armed = of(2).arm(4);
    const claim_result sent = send(of(1), 1, 4, 0);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(armed);
    EXPECT_EQ(sent, claim_result::claimed);
    EXPECT_EQ(poll(&sleeping, 1, 0), 1);
}

TEST_F(neighbours, read_and_write_memory) {
    struct no_completion final : copy_completion {
        void copied(bool) override { FAIL(); }
    } none;
    remote_memory *const memory = of(0).memory(3);
    if (memory == nullptr) {
        GTEST_SKIP() << "the kernel forbids to read the memory of processes";
    }
    const std::array<int, 3> source{1, 2, 3};
    std::array<int, 3> target{};
    const iovec to{target.data(), sizeof target};
    EXPECT_EQ(memory->start_read(0, {3, reinterpret_cast<std::uintptr_t>(source.data()), 0}, {&to, 1}, none),
              copy_start::done);
    EXPECT_EQ(target, source);
}

TEST(neighbours_apart, refuse_what_is_not_their_memory) {
    neighbour maker{meeting(0)};
    neighbour other{meeting(2)};
    const endpoint_address good = maker.offer();
    EXPECT_FALSE(other.open({good, {}, other.offer()}));
    endpoint_address wrong = good;
    wrong[4] = std::byte{0xff}; // a descriptor that the process does not have
    neighbour third{meeting(2)};
    EXPECT_FALSE(third.open({wrong, other.offer(), third.offer()}));
}

/// A process of one rank that another job's process, a child of this one, meets and leaves in some way.
class with_child : public testing::Test {
  protected:
    static introduction pair(std::size_t self, int parent_ranks = 1) {
        introduction all{{{std::byte{0x77}}}, {}, self, {}, {}};
        all.processes = {{{first_job, 0}, 0, 0, parent_ranks, 7}, {{second_job, 0}, 0, 0, 1, 7}};
        all.knows.resize(all.size() * all.size());
        all.in_memory.resize(all.size());
        return all;
    }
    static void tell(int pipe, const endpoint_address &what) {
        ASSERT_EQ(write(pipe, what.data(), what.size()), static_cast<ssize_t>(what.size()));
    }
    static endpoint_address hear(int pipe, std::size_t bytes) {
        endpoint_address heard(bytes);
        EXPECT_EQ(read(pipe, heard.data(), bytes), static_cast<ssize_t>(bytes));
        return heard;
    }

    /// Meets a child that ends after `last(its fabric)`. @param ranks of the parent
    template <class Last> void meet(neighbour &mine, int ranks, Last last) {
        int down[2], up[2];
        EXPECT_EQ(pipe(down) + pipe(up), 0);
        const endpoint_address offer = mine.offer();
        child_ = fork();
        if (child_ == 0) {
            neighbour own{pair(1, ranks)};
            tell(up[1], own.offer());
            const bool opened = own.open({hear(down[0], offer.size()), own.offer()});
            tell(up[1], endpoint_address(1, static_cast<std::byte>(opened)));
            hear(down[0], 1);
            own.begin();
            last(own.met());
            _exit(0);
        }
        const endpoint_address theirs = hear(up[0], offer.size());
        tell(down[1], offer);
        EXPECT_TRUE(mine.open({offer, theirs}));
        EXPECT_EQ(hear(up[0], 1)[0], std::byte{1});
        mine.begin();
        tell(down[1], endpoint_address(1));
        for (int *const each : {&down[0], &down[1], &up[0], &up[1]}) {
            close(*each);
        }
    }
    static bool is_awake(const local_fabric &one, int self, int milliseconds) {
        pollfd sleeping{.fd = one.wakes(self).descriptor, .events = POLLIN, .revents = 0};
        return poll(&sleeping, 1, milliseconds) == 1;
    }

    /// What the parent hears of a child that sends some packets and then ends. @param end what it does last
    template <class End> received meet_child(int packets, End end) {
        neighbour mine{pair(0)};
        meet(mine, 1, [packets, end](local_fabric &own) {
            for (int i = 0; i != packets; ++i) {
                static_cast<void>(send(own, 1, 0, i));
            }
            end(own);
        });
        received heard;
        const auto all_came = [&] { return heard.packets.size() == static_cast<std::size_t>(packets); };
        while (!all_came() || heard.failed.empty()) {
            if (mine.met().arm(0) && !is_awake(mine.met(), 0, all_came() ? 200 : 20'000)) {
                break;
            }
            mine.met().poll(0, heard, 3);
        }
        waitpid(child_, nullptr, 0);
        return heard;
    }

    pid_t child_ = 0;
};

TEST_F(with_child, a_killed_process_fails_after_its_last_packet) {
    const received heard = meet_child(100, [](local_fabric &) { std::raise(SIGKILL); });
    EXPECT_EQ(heard.packets.size(), 100u);
    EXPECT_EQ(heard.failed, std::vector<int>{1});
}

TEST_F(with_child, a_full_mailbox_of_a_killed_process_refuses_for_good) {
    neighbour mine{pair(0)};
    meet(mine, 1, [](local_fabric &) { std::raise(SIGKILL); });
    waitpid(child_, nullptr, 0);
    received heard;
    EXPECT_FALSE(mine.met().arm(0));
    mine.met().poll(0, heard, 100);
    EXPECT_EQ(heard.failed, std::vector<int>{1});
    claim_result last = claim_result::claimed;
    for (int i = 0; i != 100'000 && last == claim_result::claimed; ++i) {
        last = send(mine.met(), 0, 1, i);
    }
    EXPECT_EQ(last, claim_result::failed);
}

TEST_F(with_child, every_rank_that_sleeps_hears_of_an_end_that_another_one_has_found) {
    neighbour mine{pair(0, 2)};
    meet(mine, 2, [](local_fabric &) { std::raise(SIGKILL); });
    waitpid(child_, nullptr, 0);
    EXPECT_FALSE(mine.met().arm(0)); // looks, before the other one could
    EXPECT_TRUE(is_awake(mine.met(), 1, 0));
    received first, second;
    mine.met().poll(0, first, 100);
    mine.met().poll(1, second, 100);
    EXPECT_EQ(first.failed, std::vector<int>{2});
    EXPECT_EQ(second.failed, std::vector<int>{2});
}

TEST_F(with_child, a_process_that_has_left_does_not_fail) {
    const received heard = meet_child(10, [](local_fabric &own) { own.leave(1); });
    EXPECT_EQ(heard.packets.size(), 10u);
    EXPECT_TRUE(heard.failed.empty());
}

} // namespace
