// SPDX-License-Identifier: Apache-2.0
// Connections whose bytes are sealed: what arrives is what was sent, in any pieces and over a slow kernel,
// and nothing of what somebody has changed, left out, repeated or added. LISLE_TEST_FUZZ says how many
// records are changed.
#include "tcp/sealing.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sys/socket.h>
#include <vector>

#include "base/error.hpp"
#include "base/owned_descriptor.hpp"

namespace {

using namespace lisle;
using namespace lisle::tcp;
using bytes = std::vector<std::byte>;

std::array<owned_descriptor, 2> connected() {
    std::array<int, 2> made{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, made.data()), 0);
    return {owned_descriptor{made[0]}, owned_descriptor{made[1]}};
}

/// Two ends that have greeted. The test carries what they seal, if it wants.
class sealed : public testing::TestWithParam<protection> {
  protected:
    void SetUp() override {
        try {
            require_openssl();
        } catch (const mpi_error &none) {
            GTEST_SKIP() << none.what();
        }
        begin();
    }
    void begin() {
        const greeter self{
            .with = service::messages, .secret = {{std::byte{5}}}, .listens = {}, .wants = GetParam()};
        greeting calls{greeting::side::caller, self}, listens{greeting::side::listener, self};
        line = connected();
        for (int turn = 0; turn != 2; ++turn) {
            static_cast<void>(calls.go_on(line[0].get()));
            static_cast<void>(listens.go_on(line[1].get()));
        }
        ASSERT_TRUE(calls.is_proven() && listens.is_proven());
        caller = std::make_unique<sealing>(greeting::side::caller, calls, GetParam());
        listener = std::make_unique<sealing>(greeting::side::listener, listens, GetParam());
    }
    bytes sealed_by_caller(bytes text) {
        const auto away = connected();
        iovec run{text.data(), text.size()};
        EXPECT_EQ(caller->send(away[0].get(), {&run, 1}), static_cast<ssize_t>(text.size()));
        bytes taken(1 << 16);
        taken.resize(static_cast<std::size_t>(recv(away[1].get(), taken.data(), taken.size(), 0)));
        return taken;
    }
    /// What the listener makes of it: the text, or nothing and why.
    bytes opened_by_listener(const bytes &said, int &error) {
        const auto away = connected();
        EXPECT_EQ(send(away[0].get(), said.data(), said.size(), 0), static_cast<ssize_t>(said.size()));
        bytes text(1 << 16);
        iovec run{text.data(), text.size()};
        const ssize_t count = listener->receive(away[1].get(), {&run, 1});
        error = count < 0 ? errno : 0;
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        return text;
    }

    std::array<owned_descriptor, 2> line;
    std::unique_ptr<sealing> caller, listener;
    std::mt19937 random{41};
};

INSTANTIATE_TEST_SUITE_P(ways, sealed, testing::Values(protection::integrity, protection::encrypt),
                         [](const auto &way) {
                             return way.param == protection::encrypt ? "encrypt" : "integrity";
                         });

bytes text_of(std::size_t size) {
    bytes made(size);
    for (std::size_t at = 0; at != size; ++at) {
        made[at] = static_cast<std::byte>(at * 7 + at / 251);
    }
    return made;
}

TEST_P(sealed, carries_long_texts_in_any_pieces_both_ways) {
    bytes text = text_of(std::size_t{3} << 20);
    for (auto [from, to, out, in] :
         {std::tuple{caller.get(), listener.get(), line[0].get(), line[1].get()},
          std::tuple{listener.get(), caller.get(), line[1].get(), line[0].get()}}) {
        bytes heard(text.size());
        std::size_t sent = 0, received = 0;
        while (received != text.size()) {
            if (sent != text.size()) {
                const std::size_t half = random() % std::min<std::size_t>(text.size() - sent, 400000);
                std::array<iovec, 2> runs{iovec{text.data() + sent, half},
                                          iovec{text.data() + sent + half, text.size() - sent - half}};
                const ssize_t count = from->send(out, runs);
                ASSERT_TRUE(count > 0 || errno == EAGAIN);
                sent += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
            } else {
                static_cast<void>(from->flush(out));
            }
            const std::size_t wanted = std::min<std::size_t>(text.size() - received, 1 + random() % 300000);
            iovec run{heard.data() + received, wanted};
            const ssize_t count = to->receive(in, {&run, 1});
            ASSERT_TRUE(count > 0 || (count < 0 && errno == EAGAIN)) << count;
            received += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
        }
        EXPECT_EQ(heard, text);
        EXPECT_FALSE(from->has_unsent());
        EXPECT_FALSE(to->has_rest());
    }
}

TEST_P(sealed, hides_the_text_if_it_is_to) {
    const bytes text = text_of(1000);
    const bytes said = sealed_by_caller(text);
    const bool shows = std::ranges::search(said, text).begin() != said.end();
    EXPECT_EQ(shows, GetParam() == protection::integrity);
    EXPECT_NE(said, sealed_by_caller(text)); // not the same twice
}

TEST_P(sealed, tells_what_it_has_kept) {
    const bytes said = sealed_by_caller(text_of(100));
    ASSERT_EQ(send(line[0].get(), said.data(), said.size(), 0), static_cast<ssize_t>(said.size()));
    bytes some(60);
    iovec run{some.data(), some.size()};
    EXPECT_EQ(listener->receive(line[1].get(), {&run, 1}), 60);
    EXPECT_TRUE(listener->has_rest());
    EXPECT_EQ(listener->receive(line[1].get(), {&run, 1}), 40);
    EXPECT_FALSE(listener->has_rest());
}

TEST_P(sealed, opens_nothing_that_was_left_out_repeated_or_sent_back) {
    int error = 0;
    const bytes first = sealed_by_caller(text_of(10)), second = sealed_by_caller(text_of(10));
    EXPECT_TRUE(opened_by_listener(second, error).empty());
    EXPECT_EQ(error, EBADMSG);
    begin();
    const bytes again = sealed_by_caller(text_of(10));
    EXPECT_EQ(opened_by_listener(again, error), text_of(10));
    EXPECT_TRUE(opened_by_listener(again, error).empty());
    EXPECT_EQ(error, EBADMSG);
    begin();
    EXPECT_TRUE(opened_by_listener(first, error).empty()); // of another connection
    EXPECT_EQ(error, EBADMSG);
}

TEST_P(sealed, opens_nothing_that_was_changed) {
    const char *const wanted = std::getenv("LISLE_TEST_FUZZ");
    const long records = wanted != nullptr ? std::atol(wanted) : 2000;
    for (long each = 0; each != records; ++each) {
        bytes said = sealed_by_caller(text_of(1 + random() % 300));
        const std::size_t at = random() % said.size();
        said[at] ^= std::byte(1U << random() % 8);
        int error = 0;
        ASSERT_TRUE(opened_by_listener(said, error).empty());
        ASSERT_TRUE(error == EBADMSG || (error == EAGAIN && at < sizeof(std::uint32_t))); // a longer one
        begin();
    }
}

} // namespace
