// SPDX-License-Identifier: Apache-2.0
// What components say of themselves before the first step, and whether it fits together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lisle/couple/timing.hpp>

#include "couple/elements.hpp"

namespace lisle::couple::detail {

/// A field as its component declares it, without the points of any rank.
struct declared_field {
    std::string name;
    number_kind kind = number_kind::other;
    std::int64_t element_bytes = 0, levels = 1, grid_points = 0;
    std::string unit;
};
struct declared_want {
    declared_field own;
    std::string from, field;
    over_time how = over_time::latest;
    ticks lag = 0, every = 0;
    bool regrids = false, is_iterated = false;
};
struct declaration {
    std::string component;
    steps when;
    std::vector<declared_field> offers;
    std::vector<declared_want> wants;
};

/// As text, for the other ranks. That of several is the texts one after the other.
[[nodiscard]] std::string written(const declaration &of);
[[nodiscard]] std::vector<declaration> read_declarations(const std::string &text);

/// `latest`, `linear` and so on.
[[nodiscard]] const char *name_of(over_time how) noexcept;

/// A want and the offer that it is for, by their places in what was declared.
struct matched_want {
    std::size_t receiver, want; ///< component, and which of its wants
    std::size_t sender, offer;
};
/// All wants with their offers. Throws std::invalid_argument with the first sentence about what does not fit.
[[nodiscard]] std::vector<matched_want> match(const std::vector<declaration> &all);

} // namespace lisle::couple::detail
