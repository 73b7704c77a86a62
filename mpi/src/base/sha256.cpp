// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace lisle {

namespace {

constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte *at) noexcept {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i != sizeof word; ++i) {
        word = word << 8 | std::to_integer<std::uint32_t>(at[i]);
    }
    return word;
}

template <class Word> void store_big_endian(Word word, std::byte *at) noexcept {
    for (std::size_t i = sizeof word; i-- != 0; word = static_cast<Word>(word >> 8)) {
        at[i] = static_cast<std::byte>(word);
    }
}

} // namespace

void sha256::take_block(const std::byte *block) noexcept {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t != 16; ++t) {
        w[t] = big_endian(block + 4 * t);
    }
    for (std::size_t t = 16; t != w.size(); ++t) {
        const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t t = 0; t != w.size(); ++t) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t one = h + s1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
        const std::uint32_t two = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
    std::ranges::transform(state_, added, state_.begin(), std::plus<>{});
}

void sha256::add(std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const std::size_t filled = bytes_ % block_bytes;
        const std::size_t here = std::min(bytes.size(), block_bytes - filled);
        std::memcpy(rest_.data() + filled, bytes.data(), here);
        bytes_ += here;
        bytes = bytes.subspan(here);
        if (bytes_ % block_bytes == 0) {
            take_block(rest_.data());
        }
    }
}

sha256_digest sha256::finish() noexcept {
    std::array<std::byte, sizeof(std::uint64_t)> bits{};
    store_big_endian(8 * bytes_, bits.data());
    constexpr std::array<std::byte, block_bytes> padding{std::byte{0x80}};
    const std::size_t filled = (bytes_ + bits.size()) % block_bytes;
    add(std::span{padding}.first(block_bytes - filled));
    add(bits);
    sha256_digest made{};
    for (std::size_t i = 0; i != state_.size(); ++i) {
        store_big_endian(state_[i], made.data() + 4 * i);
    }
    return made;
}

sha256_digest hmac(std::span<const std::byte> key,
                   std::span<const std::span<const std::byte>> pieces) noexcept {
    std::array<std::byte, 64> inner{}, outer{};
    std::ranges::copy(key.first(std::min(key.size(), inner.size())), inner.begin());
    for (std::size_t i = 0; i != inner.size(); ++i) {
        outer[i] = inner[i] ^ std::byte{0x5c};
        inner[i] ^= std::byte{0x36};
    }
    sha256 first;
    first.add(inner);
    for (const std::span<const std::byte> each : pieces) {
        first.add(each);
    }
    sha256 second;
    second.add(outer);
    second.add(first.finish());
    return second.finish();
}

bool is_same(const sha256_digest &one, const sha256_digest &other) noexcept {
    std::byte differences{};
    for (std::size_t i = 0; i != one.size(); ++i) {
        differences |= one[i] ^ other[i];
    }
    return differences == std::byte{};
}

} // namespace lisle
