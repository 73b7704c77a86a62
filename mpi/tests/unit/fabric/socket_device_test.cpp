// SPDX-License-Identifier: Apache-2.0
// Our own device over TCP, over the loopback interface: peers that connect at the same time, copies that are
// refused, and whatever a stranger, or a peer that has gone mad, may say. LISLE_TEST_FUZZ says how many
// connections the fuzzer makes.
#include "fabric/network/tcp/socket_device.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "fabric/network/provider.hpp"
#include "fabric/network/rail/buffers.hpp"
#include "tcp/stream.hpp"

namespace {

using namespace lisle::fabric::network;
using lisle::shared_secret;
using lisle::tcp::greeting;

constexpr shared_secret secret{{std::byte{0x12}, std::byte{0x34}}};
constexpr std::size_t room = std::size_t{64} << 10;

struct some_operation final : operation {
    explicit some_operation(kind what) : operation{what} {}
    int ends = 0;
    bool failed = false;
};

/// A device with buffers, and all that it has received.
class endpoint {
  public:
    explicit endpoint(std::size_t buffers = 8, const shared_secret &job = secret)
        : device_{choose_providers({std::string{own_tcp}, "127.0.0.1/32"}).front().open(job)},
          receives_{operation::kind::receive, buffers, room} {
        while (receives_.available() != 0) {
            buffer &each = receives_.take();
            EXPECT_EQ(device_->receive(each.room, each), attempt::done);
        }
    }
    ~endpoint() { device_->close(); }

    device &operator*() { return *device_; }
    device *operator->() { return device_.get(); }
    void poll() {
        std::array<completion, 16> ended{};
        const std::size_t count = device_->take_completions(ended);
        for (const completion &each : std::span{ended}.first(count)) {
            if (each.of->what == operation::kind::receive) {
                auto &in = static_cast<buffer &>(*each.of);
                ASSERT_FALSE(each.failed);
                ASSERT_LE(each.bytes, in.room.size());
                received.emplace_back(in.room.begin(),
                                      in.room.begin() + static_cast<std::ptrdiff_t>(each.bytes));
                ASSERT_EQ(device_->receive(in.room, in), attempt::done);
            } else {
                auto &of = static_cast<some_operation &>(*each.of);
                ++of.ends;
                of.failed = each.failed;
            }
        }
    }
    std::vector<std::vector<std::byte>> received;

  private:
    std::unique_ptr<device> device_;
    buffer_pool receives_;
};

bool poll_until(std::initializer_list<endpoint *> all, const std::function<bool()> &holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        for (endpoint *const each : all) {
            each->poll();
        }
    }
    return true;
}

/// Sends, polling until there is a connection and room.
void send(endpoint &from, endpoint &to, peer_number peer, std::vector<std::byte> bytes) {
    some_operation sent{operation::kind::send};
    attempt how = attempt::full;
    ASSERT_TRUE(poll_until({&from, &to}, [&] {
        how = how == attempt::full ? from->send(bytes, {}, peer, sent) : how;
        return how == attempt::ended || sent.ends == 1;
    }));
    ASSERT_FALSE(sent.failed);
}

std::vector<std::byte> bytes_of(std::size_t count, int value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

TEST(socket_device, peers_that_connect_at_the_same_time_share_one_connection) {
    std::mt19937 random{3};
    for (int round = 0; round != 50; ++round) {
        endpoint one, other;
        const peer_number to_other = one->add_peer(other->address());
        const peer_number to_one = other->add_peer(one->address());
        some_operation sent_by_one{operation::kind::send}, sent_by_other{operation::kind::send};
        auto from_one = bytes_of(random() % room, 1), from_other = bytes_of(random() % room, 2);
        attempt by_one = attempt::full, by_other = attempt::full;
        ASSERT_TRUE(poll_until({}, [&] {
            if (by_one == attempt::full && random() % 2 == 0) {
                by_one = one->send(from_one, {}, to_other, sent_by_one);
            }
            if (by_other == attempt::full && random() % 2 == 0) {
                by_other = other->send(from_other, {}, to_one, sent_by_other);
            }
            (random() % 2 == 0 ? one : other).poll();
            return one.received.size() == 1 && other.received.size() == 1;
        }));
        EXPECT_EQ(one.received.front(), from_other);
        EXPECT_EQ(other.received.front(), from_one);
        EXPECT_EQ(one->dropped() + other->dropped(), 0U);
    }
}

TEST(socket_device, messages_that_follow_each_other_leave_together) {
    endpoint one, other;
    const peer_number to_other = one->add_peer(other->address());
    send(one, other, to_other, bytes_of(8, 0));
    one.poll();
    constexpr int messages = 50;
    std::vector<std::vector<std::byte>> all;
    std::vector<some_operation> sent(messages, some_operation{operation::kind::send});
    for (int at = 0; at != messages; ++at) {
        some_operation &op = sent[static_cast<std::size_t>(at)];
        op.may_be_held = true;
        all.push_back(bytes_of(static_cast<std::size_t>(8 + at), at));
        const attempt how = one->send(all.back(), {}, to_other, op);
        EXPECT_EQ(how, attempt::ended);
        EXPECT_EQ(one->holds_any(), at != 0) << "the first one alone goes at once";
    }
    ASSERT_TRUE(poll_until({&other}, [&] { return other.received.size() == 2; }));
    one->send_held();
    EXPECT_FALSE(one->holds_any());
    ASSERT_TRUE(poll_until({&other}, [&] { return other.received.size() == messages + 1; }));
    for (int at = 0; at != messages; ++at) {
        EXPECT_EQ(other.received[static_cast<std::size_t>(at + 1)], all[static_cast<std::size_t>(at)]);
    }
}

TEST(socket_device, what_there_is_no_room_to_hold_leaves_with_what_is_held) {
    endpoint one, other;
    const peer_number to_other = one->add_peer(other->address());
    send(one, other, to_other, bytes_of(8, 0));
    one.poll();
    constexpr int messages = 12; // of 4,000 bytes
    std::vector<std::vector<std::byte>> all;
    std::vector<some_operation> sent(messages, some_operation{operation::kind::send});
    for (int at = 0; at != messages; ++at) {
        some_operation &op = sent[static_cast<std::size_t>(at)];
        op.may_be_held = true;
        all.push_back(bytes_of(4000, at));
        EXPECT_NE(one->send(all.back(), {}, to_other, op), attempt::full);
    }
    ASSERT_TRUE(poll_until({&one, &other}, [&] { return other.received.size() == messages + 1; }));
    for (int at = 0; at != messages; ++at) {
        EXPECT_EQ(other.received[static_cast<std::size_t>(at + 1)], all[static_cast<std::size_t>(at)]);
    }
}

TEST(socket_device, a_message_that_may_not_be_held_takes_those_before_it_along) {
    endpoint one, other;
    const peer_number to_other = one->add_peer(other->address());
    send(one, other, to_other, bytes_of(8, 0));
    one.poll();
    auto first = bytes_of(8, 1), held = bytes_of(8, 2), last = bytes_of(8, 3);
    some_operation op_first{operation::kind::send}, op_held = op_first, op_last = op_first;
    op_first.may_be_held = op_held.may_be_held = true;
    EXPECT_EQ(one->send(first, {}, to_other, op_first), attempt::ended);
    EXPECT_EQ(one->send(held, {}, to_other, op_held), attempt::ended);
    EXPECT_EQ(one->send(last, {}, to_other, op_last), attempt::done);
    ASSERT_TRUE(poll_until({&other}, [&] { return other.received.size() == 4; }));
    EXPECT_EQ(other.received[2], held);
    EXPECT_EQ(other.received.back(), last);
}

// Then all that is said in a greeting may be there before the caller looks for it again.
TEST(socket_device, a_peer_that_answers_at_once_is_heard) {
    for (int round = 0; round != 50; ++round) {
        endpoint one, other;
        const peer_number to_other = one->add_peer(other->address());
        const std::jthread answers{[&other](const std::stop_token &stop) {
            while (!stop.stop_requested()) {
                other.poll();
            }
        }};
        auto bytes = bytes_of(8, round);
        some_operation sent{operation::kind::send};
        attempt how = attempt::full;
        ASSERT_TRUE(poll_until({&one}, [&] {
            how = how == attempt::full ? one->send(bytes, {}, to_other, sent) : how;
            return how == attempt::ended || sent.ends == 1;
        }));
    }
}

/// Between fork and exec a child has all that its parent has open.
TEST(socket_device, nothing_is_heard_of_a_connection_that_only_a_child_holds_open) {
    endpoint one, other;
    const peer_number to = one->add_peer(other->address());
    const peer_number back = other->add_peer(one->address());
    send(one, other, to, bytes_of(100, 1));
    ASSERT_TRUE(poll_until({&one, &other}, [&] { return other.received.size() == 1; }));
    const pid_t child = fork();
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    one->give_up(to);
    for (int round = 0; round != 3; ++round) {
        one.poll(); // which frees the connection
    }
    std::vector<std::byte> bytes = bytes_of(100, 2);
    some_operation sent{operation::kind::send};
    EXPECT_EQ(other->send(bytes, {}, back, sent), attempt::ended);
    pollfd heard{one->descriptor(), POLLIN, 0};
    for (int round = 0; round != 10; ++round) {
        EXPECT_EQ(poll(&heard, 1, 2), 0);
        one.poll();
    }
    EXPECT_TRUE(one.received.empty());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST(socket_device, messages_of_all_sizes_arrive_in_order_with_few_buffers) {
    endpoint one, other{2};
    const peer_number to = one->add_peer(other->address());
    std::mt19937 random{11};
    std::vector<std::vector<std::byte>> sent;
    for (int message = 0; message != 2000; ++message) {
        sent.push_back(bytes_of(random() % 8 == 0 ? random() % (room + 1) : random() % 100, message));
    }
    // The end of a message may lie elsewhere while it is sent, with room for it behind the beginning.
    std::vector<std::vector<std::byte>> rooms;
    std::vector<std::unique_ptr<some_operation>> sends;
    std::size_t started = 0;
    ASSERT_TRUE(poll_until({&one}, [&] {
        while (started != sent.size() && started < other.received.size() + 100) {
            sends.push_back(std::make_unique<some_operation>(operation::kind::send));
            const std::size_t begin = random() % (sent[started].size() + 1);
            std::vector<std::byte> end{sent[started].begin() + static_cast<std::ptrdiff_t>(begin),
                                       sent[started].end()};
            rooms.push_back(sent[started]);
            std::fill(rooms.back().begin() + static_cast<std::ptrdiff_t>(begin), rooms.back().end(),
                      std::byte{0});
            const attempt how = one->send(std::span{rooms.back()}.first(begin), end, to, *sends.back());
            std::ranges::fill(end, std::byte{0});
            if (how == attempt::full) {
                break;
            }
            ++started;
        }
        if (random() % 4 == 0) {
            other.poll();
        }
        return other.received.size() == sent.size();
    }));
    EXPECT_EQ(other.received, sent);
}

/// Two that are connected, and memory of the first that the other one may use.
class copies : public testing::Test {
  protected:
    void SetUp() override {
        to_owner = copier->add_peer(owner->address());
        send(copier, owner, to_owner, bytes_of(8, 1));
        ASSERT_TRUE(poll_until({&owner, &copier}, [this] { return owner.received.size() == 1; }));
        key = owner->expose(memory.data() + guard, memory.size() - 2 * guard, 77).value();
        address = reinterpret_cast<std::uint64_t>(memory.data() + guard);
    }
    /// @return whether it has moved
    bool copy(bool read, std::span<std::byte> mine, std::uint64_t at, std::uint64_t with) {
        some_operation op{operation::kind::copy};
        const std::array<iovec, 2> runs{iovec{mine.data(), mine.size() / 3},
                                        iovec{mine.data() + mine.size() / 3, mine.size() - mine.size() / 3}};
        EXPECT_EQ(read ? copier->read(runs, to_owner, at, with, op)
                       : copier->write(runs, to_owner, at, with, op),
                  attempt::done);
        EXPECT_TRUE(poll_until({&owner, &copier}, [&] { return op.ends == 1; }));
        return !op.failed;
    }
    static constexpr std::size_t guard = 64;
    std::vector<std::byte> memory = bytes_of((1 << 20) + 2 * guard, 5);
    endpoint owner, copier;
    peer_number to_owner = no_peer;
    std::uint64_t key = 0, address = 0;
};

TEST_F(copies, move_whole_memory_both_ways) {
    std::vector<std::byte> mine((1 << 20), std::byte{0});
    EXPECT_TRUE(copy(true, mine, address, key));
    EXPECT_EQ(mine, bytes_of(1 << 20, 5));
    std::ranges::fill(mine, std::byte{9});
    EXPECT_TRUE(copy(false, mine, address, key));
    EXPECT_TRUE(std::ranges::equal(std::span{memory}.subspan(guard, 1 << 20), mine));
    EXPECT_EQ(memory[guard - 1], std::byte{5});
    EXPECT_EQ(memory[memory.size() - guard], std::byte{5});
}

TEST_F(copies, are_refused_outside_of_what_is_exposed_and_the_connection_stays) {
    const std::vector<std::byte> before = memory;
    std::vector<std::byte> mine(700'000, std::byte{1});
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t bytes = memory.size() - 2 * guard;
    for (const bool read : {true, false}) {
        EXPECT_FALSE(copy(read, mine, address, key + 1));
        EXPECT_FALSE(copy(read, mine, address - 1, key));
        EXPECT_FALSE(copy(read, mine, address + bytes + 1, key));
        EXPECT_FALSE(copy(read, mine, most - 100, key));
        EXPECT_FALSE(copy(read, mine, 0, key));
    }
    EXPECT_FALSE(copy(true, mine, address + bytes - mine.size() + 1, key));
    EXPECT_EQ(memory, before);
    EXPECT_EQ(mine, bytes_of(mine.size(), 1));
    // A write may reach the end before its last part is refused, but never beyond.
    EXPECT_FALSE(copy(false, mine, address + bytes - mine.size() + 1, key));
    EXPECT_EQ(memory[memory.size() - guard], std::byte{5});
    EXPECT_TRUE(copy(true, mine, address, key));
    owner->withdraw(key);
    EXPECT_FALSE(copy(true, mine, address, key));
    EXPECT_EQ(owner->dropped() + copier->dropped(), 0U);
}

TEST_F(copies, end_as_failed_with_their_connection) {
    std::vector<std::byte> mine(1 << 20);
    some_operation op{operation::kind::copy};
    const iovec run{mine.data(), mine.size()};
    ASSERT_EQ(copier->read({&run, 1}, to_owner, address, key, op), attempt::done);
    copier->give_up(to_owner);
    EXPECT_FALSE(copier->may_wait());
    EXPECT_TRUE(poll_until({&copier}, [&] { return op.ends == 1; }));
    EXPECT_TRUE(op.failed);
    // Nothing can be started any more, which shows as well.
    some_operation late{operation::kind::send};
    ASSERT_EQ(copier->send(mine, {}, to_owner, late), attempt::done);
    EXPECT_TRUE(poll_until({&copier}, [&] { return late.ends == 1; }));
    EXPECT_TRUE(late.failed);
}

TEST_F(copies, let_messages_overtake_them) {
    constexpr std::size_t count = 64;
    std::vector<std::byte> mine(memory.size() - 2 * guard);
    std::vector<std::unique_ptr<some_operation>> writes;
    const iovec run{mine.data(), mine.size()};
    for (std::size_t each = 0; each != count; ++each) {
        writes.push_back(std::make_unique<some_operation>(operation::kind::copy));
        ASSERT_EQ(copier->write({&run, 1}, to_owner, address, key, *writes.back()), attempt::done);
    }
    some_operation sent{operation::kind::send};
    auto message = bytes_of(8, 3);
    ASSERT_NE(copier->send(message, {}, to_owner, sent), attempt::refused);
    ASSERT_TRUE(poll_until({&owner, &copier}, [&] { return owner.received.size() == 2; }));
    EXPECT_LT(std::ranges::count_if(writes, [](const auto &each) { return each->ends == 1; }),
              static_cast<std::ptrdiff_t>(count / 2));
    ASSERT_TRUE(poll_until({&owner, &copier}, [&] {
        return std::ranges::all_of(writes, [](const auto &each) { return each->ends == 1; });
    }));
}

// ---- strangers ----

/// A connection that says what it likes.
class stranger {
  public:
    explicit stranger(const lisle::tcp::socket_address &to)
        : socket_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        EXPECT_EQ(connect(socket_, to.data(), to.size()), 0);
    }
    stranger(const stranger &) = delete;
    stranger &operator=(const stranger &) = delete;
    ~stranger() { close(socket_); }
    void say(const void *bytes, std::size_t count) const {
        static_cast<void>(::send(socket_, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT));
    }
    [[nodiscard]] int descriptor() const { return socket_; }
    [[nodiscard]] bool is_cut() const {
        std::array<std::byte, 4096> heard{};
        for (ssize_t count = 1; count > 0;) {
            count = recv(socket_, heard.data(), heard.size(), MSG_DONTWAIT);
            if (count == 0 || (count < 0 && errno != EAGAIN)) {
                return true;
            }
        }
        return false;
    }

  private:
    int socket_;
};

lisle::tcp::socket_address listening_at(in_port_t port) {
    sockaddr_in own{
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    return {reinterpret_cast<const sockaddr *>(&own), sizeof own};
}

/// Greets with the job's secret. @return the last that it heard
greeting::state greet(const stranger &who, endpoint &victim, const lisle::tcp::socket_address &listens) {
    greeting greets{greeting::side::caller,
                    {.with = lisle::tcp::service::messages,
                     .secret = secret,
                     .listens = listens,
                     .wants = lisle::tcp::wanted_protection()}};
    greeting::state now{};
    EXPECT_TRUE(poll_until({&victim}, [&] {
        now = greets.go_on(who.descriptor());
        return now != greeting::state::under_way && now != greeting::state::proven;
    }));
    return now;
}

TEST(socket_device, does_not_listen_to_who_greets_wrongly) {
    endpoint victim;
    const lisle::tcp::socket_address at{victim->address()};
    testing::internal::CaptureStderr();
    std::uint64_t dropped = 0;
    const auto refuses = [&](const lisle::tcp::hello &said) {
        const stranger who{at};
        who.say(&said, sizeof said);
        const lisle::sha256_digest no_proof{};
        who.say(no_proof.data(), no_proof.size());
        EXPECT_TRUE(poll_until({&victim}, [&] { return who.is_cut(); }));
        EXPECT_EQ(victim->dropped(), ++dropped);
    };
    lisle::tcp::hello said;
    said.with = lisle::tcp::service::messages;
    said.listens = listening_at(1);
    said.wants = lisle::tcp::wanted_protection();
    refuses(said);
    said.with = lisle::tcp::service::port;
    refuses(said);
    said.with = lisle::tcp::service::messages;
    ++said.version;
    refuses(said);
    --said.version;
    said.magic = __builtin_bswap64(said.magic);
    refuses(said);
    for (const auto &none : {lisle::tcp::socket_address{}, at}) {
        EXPECT_EQ(greet(stranger{at}, victim, none), greeting::state::ended);
        EXPECT_EQ(victim->dropped(), ++dropped);
    }
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
}

/// Says what a peer might, more or less.
class unruly_peer {
  public:
    unruly_peer(std::uint64_t key, std::uint64_t address) : key_{key}, address_{address} {}
    std::vector<std::byte> next() {
        std::vector<std::byte> said;
        for (auto messages = 1 + random_() % 6; messages != 0; --messages) {
            message_header one{static_cast<message_header::kind>(random_() % 9),
                               static_cast<std::uint32_t>(random_() % 300),
                               pick({0, 1, std::uint64_t{1} << 32U}), address_ + random_() % 300,
                               pick({key_, key_, key_, 0})};
            const std::size_t follows = has_payload(one) ? one.bytes : 0;
            if (random_() % 4 == 0) { // a whole field, or a bit
                const std::size_t at = random_() % (sizeof one / 4) * 4;
                const auto edge =
                    static_cast<std::uint32_t>(pick({0, 0xffffffffU, 0x80000000U, 0x10000, 0x10001}));
                std::memcpy(reinterpret_cast<std::byte *>(&one) + at, &edge, sizeof edge);
            }
            const auto *const begin = reinterpret_cast<const std::byte *>(&one);
            said.insert(said.end(), begin, begin + sizeof one);
            said.resize(said.size() + follows, std::byte{0xee});
        }
        if (random_() % 4 == 0) {
            said.resize(random_() % said.size());
        }
        if (random_() % 8 == 0) {
            std::ranges::generate(said, [this] { return static_cast<std::byte>(random_()); });
        }
        return said;
    }

  private:
    static bool has_payload(const message_header &one) {
        using kind = message_header::kind;
        return one.what == kind::message || one.what == kind::read_data || one.what == kind::write_data ||
               one.what == kind::write_last;
    }
    std::uint64_t pick(std::initializer_list<std::uint64_t> values) {
        return *(values.begin() + random_() % values.size());
    }
    std::mt19937 random_{29};
    std::uint64_t key_, address_;
};

TEST(socket_device, survives_whatever_a_peer_says) {
    const char *const wanted = std::getenv("LISLE_TEST_FUZZ");
    const long connections = wanted != nullptr ? std::atol(wanted) : 3000;
    endpoint victim;
    const lisle::tcp::socket_address at{victim->address()};
    constexpr std::size_t guard = 4096, exposed = 400;
    std::vector<std::byte> memory = bytes_of(exposed + 2 * guard, 5);
    ASSERT_TRUE(victim->expose(memory.data() + guard, exposed, 7));
    unruly_peer source{7, reinterpret_cast<std::uint64_t>(memory.data() + guard)};
    testing::internal::CaptureStderr();
    for (long each = 0; each != connections; ++each) {
        const stranger who{at};
        static_cast<void>(greet(who, victim, listening_at(static_cast<in_port_t>(1 + each % 30000))));
        const auto said = source.next();
        who.say(said.data(), said.size() / 2);
        victim.poll();
        who.say(said.data() + said.size() / 2, said.size() - said.size() / 2);
        for (int round = 0; round != 3; ++round) {
            victim.poll();
        }
    }
    EXPECT_GT(victim->dropped(), 0U);
    const auto sound = [](std::byte each) { return each == std::byte{5}; };
    EXPECT_TRUE(std::ranges::all_of(std::span{memory}.first(guard), sound));
    EXPECT_TRUE(std::ranges::all_of(std::span{memory}.last(guard), sound));
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
    // And it serves others as ever.
    victim.received.clear();
    endpoint sane;
    send(sane, victim, sane->add_peer(victim->address()), bytes_of(100, 4));
    ASSERT_TRUE(poll_until({&victim}, [&] { return !victim.received.empty(); }));
    EXPECT_EQ(victim.received.back(), bytes_of(100, 4));
}

} // namespace
