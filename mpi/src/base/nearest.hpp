// SPDX-License-Identifier: Apache-2.0
// Finds the word that a mistyped one probably stands for.
#pragma once

#include <span>
#include <string_view>

namespace lisle {

/// Steps from one word to another: a swap of neighbours, a missing, added or different letter cost 2
/// each; a letter in the other case costs 1.
[[nodiscard]] int typing_distance(std::string_view from, std::string_view to);

/// The candidate closest to `word`, or an empty view if none resembles it.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

} // namespace lisle
