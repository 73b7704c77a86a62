// SPDX-License-Identifier: Apache-2.0
// Buffers of the behaviour tests: contents that follow from a seed, so that the receiver knows what to expect
// without having been told, between guard bytes that nobody may touch.
#pragma once

#include "check.hpp"
#include "memory.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/// A small generator with good bits (splitmix64); the same on every machine.
class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_{seed} {}
    std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// In [0, bound). @pre bound > 0
    std::size_t below(std::size_t bound) noexcept { return static_cast<std::size_t>(next() % bound); }
    int below(int bound) noexcept { return static_cast<int>(below(static_cast<std::size_t>(bound))); }

  private:
    std::uint64_t state_;
};

/// Bytes that follow from the seed.
inline void fill_random(std::byte *at, std::size_t bytes, std::uint64_t seed) {
    random_numbers random(seed);
    std::uint64_t word = 0;
    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        word = random.next();
        std::memcpy(at, &word, sizeof word);
    }
    word = random.next();
    if (bytes > 0)
        std::memcpy(at, &word, bytes);
}

/// Whether these bytes are what fill_random writes.
inline bool is_random(const std::byte *at, std::size_t bytes, std::uint64_t seed) {
    random_numbers random(seed);
    std::uint64_t word = 0;
    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        std::memcpy(&word, at, sizeof word);
        if (word != random.next())
            return false;
    }
    word = random.next();
    return bytes == 0 || std::memcmp(at, &word, bytes) == 0;
}

/// Memory for `count` blocks of `block` bytes that begin every `stride` bytes (contiguous if they are equal),
/// with guard bytes before, between and after.
class guarded_buffer {
  public:
    guarded_buffer(std::size_t count, std::size_t block, std::size_t stride)
        : count_{count}, block_{block}, stride_{stride}, memory_{2 * margin + count * stride, guard} {}
    explicit guarded_buffer(std::size_t bytes) : guarded_buffer(bytes > 0 ? 1 : 0, bytes, bytes) {}

    [[nodiscard]] std::byte *data() noexcept { return memory_.data() + margin; }

    void fill(std::uint64_t seed) {
        std::vector<std::byte> packed(count_ * block_);
        fill_random(packed.data(), packed.size(), seed);
        for (std::size_t i = 0; i < count_; ++i)
            std::memcpy(data() + i * stride_, packed.data() + i * block_, block_);
    }

    /// Ends the job unless the first `bytes` bytes of the blocks are those of the seed and everything else
    /// is untouched.
    void expect(std::uint64_t seed, std::size_t bytes, const std::string &what) {
        std::vector<std::byte> packed(count_ * block_);
        for (std::size_t i = 0; i < count_; ++i) {
            std::memcpy(packed.data() + i * block_, data() + i * stride_, block_);
            std::memset(data() + i * stride_, static_cast<int>(guard), block_);
        }
        if (!is_random(packed.data(), bytes, seed))
            check::fail(__FILE__, __LINE__, what + ": wrong contents");
        if (!all_guard(packed.data() + bytes, packed.size() - bytes))
            check::fail(__FILE__, __LINE__, what + ": written behind the message");
        if (!all_guard(memory_.data(), memory_.size()))
            check::fail(__FILE__, __LINE__, what + ": guard bytes overwritten");
    }
    void expect(std::uint64_t seed, const std::string &what) { expect(seed, count_ * block_, what); }

  private:
    static constexpr std::size_t margin = 64;
    static constexpr std::byte guard{0xa5};
    /// Comparing the bytes with themselves, one further on, is the fastest way to find that all are equal.
    static bool all_guard(const std::byte *at, std::size_t bytes) {
        return bytes == 0 || (*at == guard && std::memcmp(at, at + 1, bytes - 1) == 0);
    }
    std::size_t count_;
    std::size_t block_;
    std::size_t stride_;
    equal_bytes memory_;
};
