// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine for a seed (SplitMix64, public domain, S. Vigna).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lisle::exploration {

class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_{seed} {}
    /// One of 0 to `count` - 1.
    [[nodiscard]] std::size_t below(std::size_t count) noexcept {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return static_cast<std::size_t>((mixed ^ (mixed >> 31)) % count);
    }

  private:
    std::uint64_t state_;
};

} // namespace lisle::exploration
