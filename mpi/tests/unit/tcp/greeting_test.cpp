// SPDX-License-Identifier: Apache-2.0
// What the two ends of a connection make of each other's greetings: whole, in pieces, changed, repeated, sent
// back, or by somebody else. LISLE_TEST_FUZZ says how many greetings are changed.
#include "tcp/greeting.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "base/owned_descriptor.hpp"

namespace {

using namespace lisle;
using namespace lisle::tcp;
using state = greeting::state;
using bytes = std::vector<std::byte>;

constexpr shared_secret secret{{std::byte{1}, std::byte{2}}};
constexpr shared_secret other_secret{{std::byte{1}, std::byte{3}}};

greeter who(const shared_secret &knows = secret, service with = service::port) {
    return {.with = with, .secret = knows, .listens = {}};
}

/// A connection whose other end is the test.
class wire {
  public:
    wire() {
        std::array<int, 2> made{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, made.data()), 0);
        own = owned_descriptor{made[0]};
        test_ = owned_descriptor{made[1]};
    }
    [[nodiscard]] bytes take() const {
        bytes taken(4096);
        const ssize_t count = recv(test_.get(), taken.data(), taken.size(), MSG_DONTWAIT);
        taken.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        return taken;
    }
    void give(std::span<const std::byte> said) const {
        EXPECT_EQ(send(test_.get(), said.data(), said.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(said.size()));
    }
    void cut() { test_.reset(); }

    owned_descriptor own;

  private:
    owned_descriptor test_;
};

struct end {
    end(greeting::side is, const greeter &as) : greets{is, as} {}
    state go_on() { return greets.go_on(line.own.get()); }

    wire line;
    greeting greets;
};

/// Both ends; the test carries what they say.
struct pair {
    explicit pair(const greeter &calls = who(), const greeter &listens = who())
        : caller{greeting::side::caller, calls}, listener{greeting::side::listener, listens} {}
    /// @param change what is done to the n-th message
    template <class Change> void greet(const Change &change) {
        for (int message = 0; message != 3; ++message) {
            end &from = message == 1 ? listener : caller;
            end &to = message == 1 ? caller : listener;
            static_cast<void>(from.go_on());
            bytes said = from.line.take();
            change(message, said);
            to.line.give(said);
            static_cast<void>(to.go_on());
        }
    }
    void greet() {
        greet([](int, bytes &) {});
    }

    end caller, listener;
};

TEST(greeting, of_two_who_know_the_secret_proves_it_to_both) {
    pair both;
    both.greet();
    ASSERT_TRUE(both.caller.greets.is_proven());
    ASSERT_TRUE(both.listener.greets.is_proven());
    EXPECT_EQ(both.caller.greets.key("use"), both.listener.greets.key("use"));
    EXPECT_NE(both.caller.greets.key("use"), both.caller.greets.key("other use"));
    for (const auto word : {greeting::word::welcome, greeting::word::crossing, greeting::word::farewell,
                            greeting::word::retired}) {
        ASSERT_TRUE(both.listener.greets.say(both.listener.line.own.get(), word));
        both.caller.line.give(both.listener.line.take());
        EXPECT_EQ(both.caller.go_on(), state::told);
        EXPECT_EQ(both.caller.greets.told(), word);
    }
}

TEST(greeting, never_says_the_secret) {
    pair both;
    both.greet([](int, const bytes &said) {
        EXPECT_EQ(std::ranges::search(said, secret.bytes).begin(), said.end());
    });
    EXPECT_TRUE(both.listener.greets.is_proven());
}

TEST(greeting, may_come_in_pieces) {
    pair both;
    for (int turn = 0; turn != 4; ++turn) {
        for (auto [from, to] : {std::pair{&both.caller, &both.listener}, {&both.listener, &both.caller}}) {
            static_cast<void>(from->go_on());
            for (const std::byte each : from->line.take()) {
                EXPECT_NE(to->go_on(), state::refused);
                to->line.give({&each, 1});
            }
            static_cast<void>(to->go_on());
        }
    }
    EXPECT_EQ(both.caller.go_on(), state::proven);
    EXPECT_EQ(both.listener.go_on(), state::proven);
}

TEST(greeting, leaves_what_follows_it) {
    pair both;
    const bytes more(5, std::byte{9});
    both.greet([&](int message, bytes &said) {
        if (message == 2) {
            said.insert(said.end(), more.begin(), more.end());
        }
    });
    ASSERT_TRUE(both.listener.greets.is_proven());
    bytes rest(more.size());
    EXPECT_EQ(recv(both.listener.line.own.get(), rest.data(), rest.size(), 0),
              static_cast<ssize_t>(rest.size()));
    EXPECT_EQ(rest, more);
}

TEST(greeting, fails_without_the_secret_at_either_end) {
    pair caller_knows{who(), who(other_secret)};
    caller_knows.greet();
    EXPECT_EQ(caller_knows.caller.go_on(), state::refused);
    EXPECT_FALSE(caller_knows.listener.greets.is_proven());
    // A caller that does not care what the listener proves.
    pair mute{who(other_secret), who()};
    mute.greet([](int message, bytes &said) {
        if (message == 2) {
            said.assign(sizeof(sha256_digest), std::byte{0});
        }
    });
    EXPECT_EQ(mute.listener.go_on(), state::refused);
    EXPECT_FALSE(mute.caller.greets.is_proven());
}

TEST(greeting, is_for_one_service) {
    pair both{who(secret, service::port), who(secret, service::pulse)};
    both.greet();
    EXPECT_EQ(both.listener.go_on(), state::refused);
    EXPECT_FALSE(both.caller.greets.is_proven());
}

TEST(greeting, tells_both_that_they_want_another_protection) {
    greeter encrypting = who();
    encrypting.wants = protection::encrypt;
    pair both{who(), encrypting};
    both.greet();
    EXPECT_EQ(both.caller.go_on(), state::refused);
    EXPECT_EQ(both.listener.go_on(), state::refused);
    EXPECT_FALSE(both.caller.greets.is_proven() || both.listener.greets.is_proven());
}

TEST(greeting, of_something_else_is_refused_by_its_first_bytes) {
    end listener{greeting::side::listener, who()};
    listener.line.give(std::as_bytes(std::span{std::string_view{"GET / HT"}}));
    EXPECT_EQ(listener.go_on(), state::refused);
    EXPECT_NE(listener.greets.reason_to_refuse(), nullptr);
    EXPECT_TRUE(listener.line.take().empty()); // a stranger learns nothing
}

TEST(greeting, of_another_version_is_refused) {
    pair both;
    both.greet([](int message, bytes &said) {
        if (message == 0) {
            said[offsetof(hello, version)] ^= std::byte{1};
        }
    });
    EXPECT_EQ(both.listener.go_on(), state::refused);
}

TEST(greeting, that_is_repeated_on_another_connection_proves_nothing) {
    std::array<bytes, 3> said;
    pair first;
    first.greet([&](int message, const bytes &what) { said[static_cast<std::size_t>(message)] = what; });
    ASSERT_TRUE(first.listener.greets.is_proven());
    end listener{greeting::side::listener, who()};
    listener.line.give(said[0]);
    listener.line.give(said[2]);
    EXPECT_EQ(listener.go_on(), state::refused);
    end caller{greeting::side::caller, who()};
    EXPECT_EQ(caller.go_on(), state::under_way);
    caller.line.give(said[1]);
    EXPECT_EQ(caller.go_on(), state::refused);
}

TEST(greeting, that_is_sent_back_proves_nothing) {
    end caller{greeting::side::caller, who()};
    static_cast<void>(caller.go_on());
    bytes said = caller.line.take();
    said.resize(said.size() + sizeof(sha256_digest));
    caller.line.give(said);
    EXPECT_EQ(caller.go_on(), state::refused);
    // A listener's own proof, as if it were the caller's.
    end listener{greeting::side::listener, who()};
    listener.line.give(std::span{said}.first(sizeof(hello)));
    static_cast<void>(listener.go_on());
    const bytes answer = listener.line.take();
    ASSERT_EQ(answer.size(), sizeof(hello) + sizeof(sha256_digest));
    listener.line.give(std::span{answer}.subspan(sizeof(hello)));
    EXPECT_EQ(listener.go_on(), state::refused);
}

TEST(greeting, that_ends_is_over) {
    pair both;
    both.greet();
    both.listener.line.cut();
    both.caller.line.cut();
    EXPECT_EQ(both.caller.go_on(), state::ended);
    EXPECT_FALSE(both.listener.greets.say(both.listener.line.own.get(), greeting::word::welcome));
}

TEST(greeting, that_was_changed_on_its_way_proves_nothing) {
    const char *const wanted = std::getenv("LISLE_TEST_FUZZ");
    const long greetings = wanted != nullptr ? std::atol(wanted) : 2000;
    std::mt19937 random{17};
    for (long each = 0; each != greetings; ++each) {
        pair both;
        const int changed = static_cast<int>(random() % 3);
        both.greet([&](int message, bytes &said) {
            if (message == changed && !said.empty()) {
                const std::size_t at = random() % said.size();
                random() % 8 == 0 ? said.resize(at) : void(said[at] ^= std::byte(1U << random() % 8));
            }
        });
        ASSERT_FALSE(both.listener.greets.is_proven());
        ASSERT_TRUE(changed == 2 || !both.caller.greets.is_proven());
    }
}

} // namespace
