// SPDX-License-Identifier: Apache-2.0
// A port and its callers: silent ones, many, late ones, ended ones and some that say what they like.
// LISLE_TEST_FUZZ says how many of those there are.
#include "tcp/reception.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <poll.h>
#include <random>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <vector>

#include "loopback.hpp"
#include "tcp/connecting.hpp"

namespace {

using namespace lisle;
using namespace lisle::tcp;

constexpr greeter self{.with = service::port, .secret = {{std::byte{7}}}, .listens = {}};

owned_descriptor call(const reception &at) {
    begun_connection begun = begin_connecting(at.address());
    EXPECT_TRUE(begun.socket && wait_connected(begun.socket.get()));
    return std::move(begun.socket);
}

std::ptrdiff_t open_descriptors() {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
}

/// Calls and greets as it should, while the port is looked at.
testing::AssertionResult is_served_by(reception &at) {
    const owned_descriptor socket = call(at);
    greeting greets{greeting::side::caller, self};
    std::optional<reception::caller> met;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!met) {
        static_cast<void>(greets.go_on(socket.get()));
        met = at.next();
        if (std::chrono::steady_clock::now() > end) {
            return testing::AssertionFailure() << "not within a minute";
        }
    }
    return met->greeted.key("") == greets.key("") ? testing::AssertionSuccess()
                                                  : testing::AssertionFailure() << "somebody else";
}

/// Looks at the port until nobody is greeting.
void drain(reception &at) {
    while (at.any_unproven()) {
        pollfd waited{at.descriptor(), POLLIN, 0};
        ASSERT_EQ(poll(&waited, 1, 60000), 1);
        EXPECT_FALSE(at.next());
    }
}

TEST(reception, hears_who_knows_the_secret_among_silent_ones) {
    reception at{loopback_address(), self};
    ASSERT_TRUE(at);
    std::vector<owned_descriptor> silent;
    for (int each = 0; each != 50; ++each) {
        silent.push_back(call(at));
    }
    EXPECT_FALSE(at.next());
    EXPECT_TRUE(is_served_by(at));
    EXPECT_TRUE(at.any_unproven());
}

TEST(reception, hands_out_all_who_have_called_at_once) {
    constexpr std::size_t callers = 40;
    reception at{loopback_address(), self};
    std::vector<owned_descriptor> sockets;
    std::vector<greeting> greetings(callers, greeting{greeting::side::caller, self});
    for (std::size_t each = 0; each != callers; ++each) {
        sockets.push_back(call(at));
    }
    std::size_t met = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (met != callers && std::chrono::steady_clock::now() < end) {
        for (std::size_t each = 0; each != callers; ++each) {
            static_cast<void>(greetings[each].go_on(sockets[each].get()));
        }
        met += at.next() ? 1 : 0;
    }
    EXPECT_EQ(met, callers);
}

TEST(reception, closes_who_has_ended) {
    reception at{loopback_address(), self};
    const std::ptrdiff_t before = open_descriptors();
    for (int each = 0; each != 3000; ++each) {
        static_cast<void>(call(at));
        if (each % 100 == 0) {
            EXPECT_FALSE(at.next());
        }
    }
    EXPECT_FALSE(at.next());
    drain(at);
    EXPECT_EQ(open_descriptors(), before);
}

TEST(reception, keeps_a_bounded_number_and_lets_the_silent_go_first) {
    rlimit files{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_cur < 3 * reception::most_unproven) {
        GTEST_SKIP() << "the system gives too few descriptors";
    }
    std::size_t refused = 0;
    reception at{loopback_address(), self, [&](const char *) { ++refused; }};
    const owned_descriptor socket = call(at); // the oldest of all
    greeting greets{greeting::side::caller, self};
    static_cast<void>(greets.go_on(socket.get()));
    EXPECT_FALSE(at.next());
    std::vector<owned_descriptor> silent;
    for (std::size_t each = 0; each != reception::most_unproven + 100; ++each) {
        silent.push_back(call(at));
        static_cast<void>(at.next());
    }
    EXPECT_GE(refused, 100U);
    std::optional<reception::caller> met;
    while (!met) {
        ASSERT_NE(greets.go_on(socket.get()), greeting::state::ended);
        met = at.next();
    }
    EXPECT_TRUE(is_served_by(at));
}

TEST(reception, sends_late_ones_away_whatever_else_happens) {
    std::vector<std::string_view> refused;
    reception at{loopback_address(), self, [&](const char *why) { refused.emplace_back(why); },
                 std::chrono::milliseconds{20}};
    const owned_descriptor silent = call(at), slow = call(at);
    greeting greets{greeting::side::caller, self};
    static_cast<void>(greets.go_on(slow.get())); // and no more
    EXPECT_FALSE(at.next());
    drain(at); // its descriptor wakes a sleeper
    EXPECT_EQ(refused.size(), 2U);
    EXPECT_TRUE(has_ended(silent.get()));
}

TEST(reception, hands_out_nobody_who_has_ended) {
    reception at{loopback_address(), self};
    {
        const owned_descriptor socket = call(at);
        greeting greets{greeting::side::caller, self};
        while (greets.go_on(socket.get()) != greeting::state::proven) {
            // Its proof is not heard yet: only what came before is.
            if (!greets.is_proven() && at.next()) {
                FAIL();
            }
        }
    }
    EXPECT_FALSE(at.next());
    EXPECT_TRUE(is_served_by(at));
}

TEST(reception, survives_whatever_callers_say) {
    const char *const wanted = std::getenv("LISLE_TEST_FUZZ");
    const long callers = wanted != nullptr ? std::atol(wanted) : 2000;
    std::uint64_t refused = 0;
    reception at{loopback_address(), self, [&](const char *) { ++refused; }};
    const std::ptrdiff_t before = open_descriptors();
    std::mt19937 random{23};
    for (long each = 0; each != callers; ++each) {
        const owned_descriptor socket = call(at);
        hello said;
        said.with = service::port;
        auto *const begin = reinterpret_cast<std::byte *>(&said);
        for (unsigned change = random() % 4; change != 0; --change) {
            begin[random() % sizeof said] = static_cast<std::byte>(random());
        }
        std::vector<std::byte> bytes(begin,
                                     begin + (random() % 4 == 0 ? random() % sizeof said : sizeof said));
        std::generate_n(std::back_inserter(bytes), random() % 100, [&] { return std::byte(random()); });
        send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        ASSERT_FALSE(at.next());
    }
    EXPECT_GT(refused, 0U);
    EXPECT_TRUE(is_served_by(at));
    drain(at);
    EXPECT_EQ(open_descriptors(), before);
}

} // namespace
