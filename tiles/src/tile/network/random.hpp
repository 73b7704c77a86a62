// SPDX-License-Identifier: Apache-2.0
// Numbers as good as drawn, the same in every run and on every machine (splitmix64).
#pragma once

#include <cstdint>

namespace lisle::tile {

class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) : state_{seed * 0x9e3779b97f4a7c15U + 1} {}

    std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
        return mixed ^ mixed >> 31;
    }
    /// From 0 to 1, without 1.
    double share() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    /// From 0 to `count`, without it.
    int below(int count) noexcept {
        return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(count) >> 32);
    }

  private:
    std::uint64_t state_;
};

} // namespace lisle::tile
