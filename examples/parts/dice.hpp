// SPDX-License-Identifier: Apache-2.0
// Throws of three dice: the same on every machine, whichever rank throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>

/// The sum of the dice of one throw: 3 to 18.
inline std::int64_t thrown(std::uint64_t number) {
    std::int64_t sum = 0;
    for (std::uint64_t die = 0; die < 3; ++die) {
        std::uint64_t z = (number * 3 + die + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        sum += static_cast<std::int64_t>((z ^ (z >> 31)) % 6) + 1;
    }
    return sum;
}

/// Prints how often each sum came.
inline void print_sums(std::span<const std::int64_t> counts) {
    for (std::size_t sum = 3; sum < counts.size(); ++sum)
        std::cout << sum << ": " << counts[sum] << "\n";
}
