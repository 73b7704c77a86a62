// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <thread>

#include "launch/common/descriptor.hpp"
#include "launch/common/temporary_folder.hpp"
#include "launch/hosts/check_table.hpp"
#include "launch/hosts/record_collector.hpp"
#include "launch/link/channel.hpp"
#include "launch/link/host_job.hpp"
#include "report/trace/format.hpp"
#include "report/trace/settings.hpp"

namespace lisle::launch {

namespace {

struct heard {
    message what;
    int host;
    std::string body;
    friend bool operator==(const heard &, const heard &) = default;
};

/// A channel, and the other ends of its pipes.
struct channel_with_ends {
    explicit channel_with_ends(channel::begins how)
        : to{make_pipe()}, from{make_pipe()}, here{std::move(to.read), std::move(from.write), how} {}

    void say(std::string_view bytes) const {
        ASSERT_EQ(write(to.write.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    /// What the channel itself sends for a message.
    std::string bytes_of(message what, int host, std::string_view body) {
        here.send(what, host, body);
        turn();
        std::string bytes(1 << 16, '\0');
        bytes.resize(static_cast<std::size_t>(read(from.read.get(), bytes.data(), bytes.size())));
        return bytes;
    }
    void turn() {
        std::vector<pollfd> polled;
        here.prepare(polled);
        poll(polled.data(), polled.size(), 0);
        here.handle(polled.data(), [this](message what, int host, std::string_view body) {
            all.push_back({what, host, std::string{body}});
        });
    }

    pipe_ends to, from;
    channel here;
    std::vector<heard> all;
};

class Channel : public testing::Test, protected channel_with_ends {
  protected:
    explicit Channel(channel::begins how = channel::begins::at_once) : channel_with_ends{how} {}
};

class GreetedChannel : public Channel {
  protected:
    GreetedChannel() : Channel{channel::begins::with_greeting} {}
};

TEST_F(Channel, MessagesArriveInPiecesOfAnySize) {
    const auto bytes = bytes_of(message::output, 7, "some text") + bytes_of(message::ended, 3, "");
    for (const char each : bytes) {
        say({&each, 1});
        turn();
    }
    EXPECT_EQ(all, (std::vector<heard>{{message::output, 7, "some text"}, {message::ended, 3, ""}}));
    EXPECT_TRUE(here.open());
}

TEST_F(Channel, ItsEndIsNoFailure) {
    to.write.reset();
    turn();
    EXPECT_FALSE(here.open());
    EXPECT_EQ(here.failure(), "");
}

TEST_F(Channel, SilenceIsOne) {
    here.expect_life(std::chrono::seconds{1});
    const auto begun = channel::clock::now();
    while (here.open()) {
        turn();
        usleep(10000);
    }
    EXPECT_GE(channel::clock::now() - begun, std::chrono::seconds{1});
    EXPECT_NE(here.failure(), "");
}

// A flood of them would itself keep the other end from hearing.
TEST_F(Channel, SignsOfLifeAreFewHoweverShortTheSilence) {
    const auto sign = bytes_of(message::alive, every_host, "");
    here.expect_life(std::chrono::seconds{1});
    while (here.open()) {
        turn();
        usleep(1000);
    }
    std::string told(1 << 16, '\0');
    const auto length = read(from.read.get(), told.data(), told.size());
    EXPECT_GE(length, static_cast<ssize_t>(sign.size()));
    EXPECT_LE(length, static_cast<ssize_t>(5 * sign.size()));
}

TEST_F(Channel, BytesThatAreNoMessagesEndIt) {
    const auto sound = bytes_of(message::output, 7, "some text");
    std::mt19937 random{1};
    int ended = 0;
    for (int round = 0; round < 2000; ++round) {
        auto bytes = sound;
        for (int i = 0; i < 3; ++i) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        channel_with_ends other{channel::begins::at_once};
        other.say(bytes);
        other.turn();
        ended += other.here.open() ? 0 : 1;
        for (const heard &each :
             other.all) { // what is left of the check is the mark, the kind and the length
            EXPECT_LE(each.body.size(), bytes.size());
            EXPECT_LE(each.what, message::ended);
        }
    }
    EXPECT_GT(ended, 100);
    say("this is not what a keeper says");
    turn();
    EXPECT_FALSE(here.open());
    EXPECT_NE(here.failure(), "");
}

TEST_F(GreetedChannel, WhatComesBeforeTheGreetingIsSkipped) {
    say("Welcome!\nYou have mail.\n");
    turn();
    EXPECT_FALSE(here.met());
    say(channel::greeting());
    turn();
    EXPECT_TRUE(here.met());
    say(channel_with_ends{channel::begins::at_once}.bytes_of(message::ready, 2, ""));
    turn();
    EXPECT_EQ(all, (std::vector<heard>{{message::ready, 2, ""}}));
}

TEST_F(GreetedChannel, AnotherVersionIsRefused) {
    say("LISLE-KEEPER 0.0.1\n");
    turn();
    EXPECT_FALSE(here.open());
    EXPECT_NE(here.failure().find("0.0.1"), std::string::npos);
}

TEST(Wire, AJobArrivesAsItWas) {
    host_job job;
    job.id = job_id{4711};
    job.directory = "/some where";
    job.environment = {"A=1", "B="};
    job.request.programs.resize(2);
    job.request.programs[1].arguments = {"./b", ""};
    job.request.programs[0].environment.variables = {{"NAME", std::nullopt}, {"OTHER", "value"}};
    job.request.output.label_pattern = "<%r> ";
    job.request.input.rank.reset();
    job.plan.processes = {{0, 0, 2, true, 1, "/bin/a", {"a"}, true, 0},
                          {1, 2, 1, false, 0, "/bin/b", {"b", "c"}, false, 1}};
    const auto bytes = packed(job);
    host_job found;
    unpack(bytes, found);
    EXPECT_EQ(packed(found), bytes);
    EXPECT_EQ(found.id, job.id);
    EXPECT_EQ(found.directory, job.directory);
    EXPECT_EQ(found.environment, job.environment);
    EXPECT_EQ(found.request.programs[1].arguments, job.request.programs[1].arguments);
    EXPECT_FALSE(found.request.programs[0].environment.variables[0].value);
    EXPECT_FALSE(found.request.input.rank);
    EXPECT_EQ(found.plan.processes[1].host, 1);
    EXPECT_TRUE(found.plan.processes[0].linked_with_lisle);
    EXPECT_FALSE(found.plan.processes[1].linked_with_lisle);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(unpack(std::string_view{bytes}.substr(0, length), found), launch_error) << length;
    }
}

/// Two hosts with an address each, and what was found between them.
check_result found_between_two(const tried_path &there, const tried_path &back) {
    return {{"a", "b"}, {{1, {{"eth0", ""}}}, {2, {{"eth0", ""}}}}, {there, back}, {}};
}

TEST(CheckTable, AJobRunsWhereOneDirectionIsOpen) {
    const tried_path there{0, 1, "eth0", "10.0.0.2", 4000, 0, 20, 1000, 10000};
    const tried_path back{1, 0, "eth0", "10.0.0.1", 4000, ETIMEDOUT, 0, 0, 10000};
    const auto one_way = found_between_two(there, back);
    EXPECT_TRUE(can_run(one_way));
    const std::string text = table_of(one_way);
    EXPECT_NE(text.find("a and b use eth0 (10.0.0.2); a makes all connections"), std::string::npos) << text;
    EXPECT_NE(text.find("b cannot connect to 10.0.0.1 (eth0 of a), port 4000: Connection timed out"),
              std::string::npos)
        << text;
    auto refused = back;
    refused.problem = ECONNREFUSED;
    EXPECT_NE(table_of(found_between_two(there, refused)).find("a firewall of a rejects it"),
              std::string::npos);
}

TEST(CheckTable, NoJobRunsWhereBothDirectionsAreBlockedOrAHostIsNotReached) {
    const tried_path there{0, 1, "eth0", "10.0.0.2", 4000, EHOSTUNREACH, 0, 0, 0};
    const tried_path back{1, 0, "eth0", "10.0.0.1", 4000, EHOSTUNREACH, 0, 0, 0};
    auto closed = found_between_two(there, back);
    EXPECT_FALSE(can_run(closed));
    EXPECT_NE(table_of(closed).find("a and b cannot reach each other"), std::string::npos);
    closed = {
        {"a", "b"}, {{1, {{"eth0", ""}}}, {}}, {}, {"host b cannot be reached: its name is unknown here"}};
    EXPECT_FALSE(can_run(closed));
    EXPECT_NE(table_of(closed).find("host b cannot be reached"), std::string::npos);
}

TEST(CheckTable, APathIsSlowByWhatItsInterfacesSay) {
    const tried_path slow{0, 1, "eth0", "10.0.0.2", 4000, 0, 20, 100, 10000};
    auto fast = slow;
    fast.speed = 0; // unknown: a hundred megabytes each second are none too few
    EXPECT_NE(table_of(found_between_two(slow, fast)).find("slow"), std::string::npos);
    EXPECT_EQ(table_of(found_between_two(fast, fast)).find("slow"), std::string::npos);
}

/// A host whose clock is 5 s ahead, and gains another second while its ranks run.
TEST(RecordCollector, TellsWhatHostsRecordByThisMachinesClock) {
    constexpr std::int64_t ahead = 5'000'000'000;
    std::vector<heard> said;
    const temporary_folder folder{"lisle-collector-test"};
    record_collector collector{folder.name(), 1, [&said](message what, int host, std::string_view body) {
                                   said.push_back({what, host, std::string{body}});
                               }};
    std::int64_t gained = 0;
    const auto answer_all = [&] {
        int answers = 0;
        while (!said.empty() && said.back().what == message::ask_time) {
            std::int64_t asked = 0, now = 0;
            unpack(clock_comparison::answer_to(said.back().body), asked, now);
            said.pop_back();
            collector.on_time(0, packed(asked, now + ahead + gained));
            ++answers;
        }
        return answers;
    };
    collector.on_ready(0);
    EXPECT_FALSE(collector.knows_clocks());
    EXPECT_GT(answer_all(), 2);
    EXPECT_TRUE(collector.knows_clocks());
    report::trace_head head;
    const std::int64_t begin = clock_now();
    head.begin = static_cast<std::uint64_t>(begin + ahead);
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    gained = 1'000'000'000; // much, so that a machine that is busy does not hide it
    collector.on_recorded(0);
    answer_all();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said.front().what, message::give_records);
    const std::string bytes{reinterpret_cast<const char *>(&head), sizeof head};
    collector.on_record(0, packed(7, bytes));
    collector.on_record(0, packed(7, std::string{"more"}));
    EXPECT_EQ(said.back(), (heard{message::record_taken, 0, packed(std::uint64_t{4})}));
    std::ifstream file{folder.name() + "/" + report::file_of_rank(7), std::ios::binary};
    const std::string whole{std::istreambuf_iterator<char>{file}, {}};
    ASSERT_EQ(whole.size(), sizeof head + 4);
    std::memcpy(&head, whole.data(), sizeof head);
    EXPECT_GT(head.clock_error, 0U);
    EXPECT_LT(head.rate, 0.99); // the host's clock went at least that much faster
    EXPECT_GT(head.rate, 0);
    // When it began nearly nothing had been gained.
    EXPECT_LE(std::abs(static_cast<double>(begin) - static_cast<double>(head.begin)), 0.5e9);
}

} // namespace

} // namespace lisle::launch
