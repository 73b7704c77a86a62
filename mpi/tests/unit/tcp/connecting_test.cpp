// SPDX-License-Identifier: Apache-2.0
// Beginning connections over the loopback interface, and what is made of a greeting that comes in pieces, is
// another's or is none.
#include "tcp/connecting.hpp"
#include "tcp/greeting.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

namespace {

using namespace lisle;
using namespace lisle::tcp;

constexpr std::uint64_t token = 0x1234567890abcdef;
constexpr greeting sound{.token = token, .with = service::port};

socket_address loopback() {
    sockaddr_in any{
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    return {reinterpret_cast<const sockaddr *>(&any), sizeof any};
}

/// Both ends of a connection.
class connected : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(listener);
        ASSERT_FALSE(next_caller(listener)); // nobody, and nobody is waited for
        begun_connection begun = begin_connecting(end_of(listener.get(), getsockname));
        ASSERT_EQ(begun.failure, 0);
        calling = std::move(begun.socket);
        ASSERT_TRUE(wait_connected(calling.get()));
        pollfd waited{listener.get(), POLLIN, 0};
        ASSERT_EQ(poll(&waited, 1, -1), 1);
        called = next_caller(listener);
        ASSERT_TRUE(called);
    }
    /// What the called end hears once so many bytes of a greeting have been said.
    heard_greeting::state say_part(const greeting &what, std::size_t from, std::size_t to) {
        const auto *const bytes = reinterpret_cast<const std::byte *>(&what);
        EXPECT_EQ(send(calling.get(), bytes + from, to - from, 0), static_cast<ssize_t>(to - from));
        pollfd waited{called.get(), POLLIN, 0};
        EXPECT_EQ(poll(&waited, 1, -1), 1);
        return heard.hear(called.get());
    }

    owned_descriptor listener = listen_at(loopback());
    owned_descriptor calling, called;
    heard_greeting heard;
};

TEST_F(connected, a_greeting_in_pieces_is_complete_at_its_end) {
    EXPECT_EQ(heard.hear(called.get()), heard_greeting::state::incomplete);
    EXPECT_EQ(say_part(sound, 0, 3), heard_greeting::state::incomplete);
    EXPECT_EQ(say_part(sound, 3, 20), heard_greeting::state::incomplete);
    EXPECT_EQ(heard.reason_to_refuse(service::port, token), nullptr);
    EXPECT_EQ(say_part(sound, 20, sizeof sound), heard_greeting::state::complete);
    EXPECT_EQ(heard.reason_to_refuse(service::port, token), nullptr);
    EXPECT_EQ(heard.said().token, token);
}

TEST_F(connected, what_follows_a_greeting_stays) {
    ASSERT_TRUE(say(calling.get(), sound));
    const std::array<char, 4> more{'m', 'o', 'r', 'e'};
    ASSERT_EQ(send(calling.get(), more.data(), more.size(), 0), 4);
    EXPECT_EQ(say_part(sound, 0, 1), heard_greeting::state::complete);
    EXPECT_TRUE(is_readable(called.get()));
    std::array<char, 4> read{};
    EXPECT_EQ(recv(called.get(), read.data(), read.size(), 0), 4);
    EXPECT_EQ(read, more);
}

TEST_F(connected, a_stranger_is_found_out_by_its_first_word) {
    greeting other = sound;
    other.magic = __builtin_bswap64(other.magic);
    EXPECT_EQ(say_part(other, 0, sizeof other.magic), heard_greeting::state::incomplete);
    EXPECT_NE(heard.reason_to_refuse(service::port, token), nullptr);
}

TEST_F(connected, another_service_and_another_token_are_refused) {
    EXPECT_EQ(say_part(sound, 0, sizeof sound), heard_greeting::state::complete);
    EXPECT_NE(heard.reason_to_refuse(service::speaker, token), nullptr);
    EXPECT_NE(heard.reason_to_refuse(service::port, token + 1), nullptr);
}

TEST_F(connected, another_version_is_refused) {
    greeting other = sound;
    ++other.version;
    EXPECT_EQ(say_part(other, 0, sizeof other), heard_greeting::state::complete);
    EXPECT_NE(heard.reason_to_refuse(service::port, token), nullptr);
}

TEST_F(connected, an_end_is_heard) {
    EXPECT_FALSE(has_ended(called.get()));
    calling.reset();
    pollfd waited{called.get(), POLLIN, 0};
    ASSERT_EQ(poll(&waited, 1, -1), 1);
    EXPECT_TRUE(has_ended(called.get()));
    EXPECT_EQ(heard.hear(called.get()), heard_greeting::state::ended);
}

TEST(connecting, to_a_port_where_nobody_listens_fails) {
    owned_descriptor listener = listen_at(loopback());
    const socket_address gone = end_of(listener.get(), getsockname);
    listener.reset();
    const begun_connection begun = begin_connecting(gone);
    ASSERT_TRUE(begun.socket);
    EXPECT_TRUE(begun.failure == ECONNREFUSED || !wait_connected(begun.socket.get()));
}

} // namespace
