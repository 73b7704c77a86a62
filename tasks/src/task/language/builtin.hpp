// SPDX-License-Identifier: Apache-2.0
// Functions that the language has itself: arithmetic, comparison, lists, text. They have no side effects, so
// an expression made of them can be evaluated again.
#pragma once

#include <span>
#include <string_view>

#include <lisle/task/kernel.hpp>

namespace lisle::tasks {

/// Binary operations on numbers that are evaluated without a call.
enum class short_cut : std::uint8_t {
    none,
    add,
    subtract,
    multiply,
    less,
    less_equal,
    greater,
    greater_equal,
    equal
};

struct builtin {
    std::string_view name;
    std::size_t least, most; ///< arguments
    short_cut quick;
    /// Throws std::invalid_argument or std::domain_error.
    value (*call)(std::span<const value> arguments, const tile_place &where);
    std::string_view meaning; ///< for --help
};

inline constexpr std::size_t any_number = ~std::size_t{0};

/// All of them, in a fixed order.
std::span<const builtin> builtins();
/// The index, or -1.
int find_builtin(std::string_view name);

/// @return whether both are integers and the result is in `result`; else the function has to be called
[[gnu::always_inline]] inline bool quick_binary(short_cut which, const value &left, const value &right,
                                                value &result) noexcept {
    if (!left.is_integer() || !right.is_integer()) {
        return false;
    }
    const std::int64_t a = left.integer(), b = right.integer();
    std::int64_t sum = 0;
    switch (which) {
    case short_cut::add:
        if (__builtin_add_overflow(a, b, &sum)) {
            return false;
        }
        result = sum;
        return true;
    case short_cut::subtract:
        if (__builtin_sub_overflow(a, b, &sum)) {
            return false;
        }
        result = sum;
        return true;
    case short_cut::multiply:
        if (__builtin_mul_overflow(a, b, &sum)) {
            return false;
        }
        result = sum;
        return true;
    case short_cut::less:
        result = a < b;
        return true;
    case short_cut::less_equal:
        result = a <= b;
        return true;
    case short_cut::greater:
        result = a > b;
        return true;
    case short_cut::greater_equal:
        result = a >= b;
        return true;
    case short_cut::equal:
        result = a == b;
        return true;
    case short_cut::none:
        return false;
    }
    return false;
}

} // namespace lisle::tasks
