// SPDX-License-Identifier: Apache-2.0
// Bytes from strangers: whatever arrives, nothing that is not sound is used, and the log gets one line.
// LISLE_TEST_FUZZ says how many inputs the parser gets.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>

#include "fabric/network/network_fabric.hpp"
#include "fabric/network/provider.hpp"

namespace {

using namespace lisle::fabric;
using namespace lisle::fabric::network;

constexpr job_secret secret{{std::byte{0x12}, std::byte{0x34}}};
const frame_mark mark = mark_of(secret);
constexpr int ranks = 4, first = 0, count = 2;
constexpr std::size_t payload = 16;

/// Changes a sound frame, mostly where it matters.
class mutator {
  public:
    mutator() : sound_(sizeof(frame) + payload) {
        frame good{};
        good.mark = mark;
        good.version = frame::current_version;
        good.source = ranks - 1;
        good.dest = first;
        good.header.payload_bytes = payload;
        std::memcpy(sound_.data(), &good, sizeof good);
    }
    [[nodiscard]] const std::vector<std::byte> &next() {
        bytes_ = sound_;
        switch (random_() % 8) {
        case 0: // nothing of it is left
            bytes_.resize(random_() % 256);
            std::ranges::generate(bytes_, [this] { return static_cast<std::byte>(random_()); });
            break;
        case 1:
            bytes_.resize(random_() % (sound_.size() + 64));
            break;
        default:
            for (unsigned changes = random_() % 4; changes != 0; --changes) {
                change();
            }
        }
        return bytes_;
    }

  private:
    void change() {
        constexpr std::array<std::uint64_t, 8> edges{0,
                                                     1,
                                                     ranks,
                                                     0x7f,
                                                     std::numeric_limits<std::int32_t>::max(),
                                                     0x80000000U,
                                                     std::numeric_limits<std::uint32_t>::max(),
                                                     std::numeric_limits<std::uint64_t>::max()};
        if (random_() % 2 == 0) {
            bytes_[random_() % bytes_.size()] ^= static_cast<std::byte>(1U << random_() % 8U);
            return;
        }
        // A whole field.
        const std::uint64_t value = edges[random_() % edges.size()];
        const std::size_t width = std::size_t{1} << random_() % 4U;
        const std::size_t fields = sizeof(frame) / width;
        std::memcpy(bytes_.data() + random_() % fields * width, &value, width);
    }

    std::mt19937 random_{23};
    std::vector<std::byte> sound_;
    std::vector<std::byte> bytes_;
};

TEST(frame_fuzz, the_parser_takes_sound_frames_only) {
    const char *const wanted = std::getenv("LISLE_TEST_FUZZ");
    const long inputs = wanted != nullptr ? std::atol(wanted) : 100'000;
    mutator source;
    std::array<long, static_cast<std::size_t>(refusal::wrong_length) + 1> found_as{};
    for (long input = 0; input != inputs; ++input) {
        const std::vector<std::byte> &bytes = source.next();
        // As long as the input and no longer, so that AddressSanitizer sees a byte that is read beyond it.
        const auto exact = std::make_unique<std::byte[]>(bytes.size());
        std::ranges::copy(bytes, exact.get());
        arrived_frame found{};
        const refusal why = check_frame({exact.get(), bytes.size()}, mark, ranks, first, count, found);
        ++found_as.at(static_cast<std::size_t>(why));
        if (why == refusal::none) {
            ASSERT_EQ(found.what.mark, mark);
            ASSERT_LE(found.what.what, frame::kind::received);
            ASSERT_TRUE(found.what.source >= 0 && found.what.source < ranks);
            ASSERT_TRUE(found.what.dest >= first && found.what.dest < first + count);
            ASSERT_EQ(found.payload.size(), bytes.size() - sizeof(frame));
            ASSERT_EQ(found.what.header.payload_bytes, found.payload.size());
        }
    }
    for (std::size_t each = 0; each != found_as.size(); ++each) {
        EXPECT_GT(found_as.at(each), 0) << "the inputs never meet: " << reason(static_cast<refusal>(each));
    }
}

struct nobody_hears final : sink {
    void arrived(int, const packet_header &, std::span<const std::byte>) override { ++packets; }
    void peer_failed(int) override {}
    int packets = 0;
};

/// A frame of the fuzzer's, on its way.
struct stray : operation {
    stray() : operation{operation::kind::send} {}
};

TEST(frame_fuzz, a_flood_of_garbage_is_one_line_of_log) {
    const char *const said = std::getenv("LISLE_NETWORK_PROVIDER");
    const provider_request wanted{said != nullptr ? said : "", "lo"};
    std::vector<choice> chosen;
    try {
        chosen = choose_providers(wanted);
    } catch (const std::exception &none) {
        GTEST_SKIP() << none.what();
    }
    network_fabric fabric{std::move(chosen),
                          {.ranks = ranks,
                           .processes = 2,
                           .first_rank = first,
                           .rank_count = count,
                           .process_of = [](int rank) { return rank / count; },
                           .first_rank_of = [](int process) { return process * count; },
                           .elsewhere = [](int rank) { return rank >= count; },
                           .secret = secret},
                          [](int) { return endpoint_address{}; }};
    const auto stranger = choose_providers(wanted).front().open(secret);
    const endpoint_address whole = fabric.address(0);
    const peer_number victim = stranger->add_peer(std::span{whole}.last(stranger->address().size()));
    ASSERT_NE(victim, no_peer);

    constexpr std::uint64_t strays = 2000;
    nobody_hears ears;
    stray sent;
    std::array<completion, 16> ended{};
    std::array<std::byte, 256> bytes{};
    std::mt19937 random{5};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    testing::internal::CaptureStderr();
    for (std::uint64_t started = 0, done = 0; fabric.dropped() < strays;) {
        std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
        const auto some = std::span{bytes}.first(1 + random() % bytes.size());
        // One at a time: the provider reads from `bytes` until it has ended.
        if (started == done && started != strays) {
            const attempt how = stranger->send(some, {}, victim, sent);
            started += how == attempt::done || how == attempt::ended ? 1 : 0;
            done += how == attempt::ended ? 1 : 0;
        }
        done += stranger->take_completions(ended);
        fabric.poll(0, ears, 16);
        if (std::chrono::steady_clock::now() > end) {
            break;
        }
    }
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_EQ(fabric.dropped(), strays);
    EXPECT_EQ(ears.packets, 0);
    EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
    EXPECT_TRUE(log.starts_with("lisle: dropped ")) << log;
}

} // namespace
