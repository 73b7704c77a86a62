// SPDX-License-Identifier: Apache-2.0
// Beginning connections over the loopback interface.
#include "tcp/connecting.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "loopback.hpp"

namespace {

using namespace lisle;
using namespace lisle::tcp;

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

    owned_descriptor listener = listen_at(loopback_address());
    owned_descriptor calling, called;
};

TEST_F(connected, an_end_is_heard) {
    EXPECT_FALSE(has_ended(called.get()));
    calling.reset();
    pollfd waited{called.get(), POLLIN, 0};
    ASSERT_EQ(poll(&waited, 1, -1), 1);
    EXPECT_TRUE(has_ended(called.get()));
}

TEST(connecting, to_a_port_where_nobody_listens_fails) {
    owned_descriptor listener = listen_at(loopback_address());
    const socket_address gone = end_of(listener.get(), getsockname);
    listener.reset();
    const begun_connection begun = begin_connecting(gone);
    ASSERT_TRUE(begun.socket);
    EXPECT_TRUE(begun.failure == ECONNREFUSED || !wait_connected(begun.socket.get()));
}

} // namespace
