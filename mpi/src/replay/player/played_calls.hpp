// SPDX-License-Identifier: Apache-2.0
// The functions that a replay can call, by their names.
#pragma once

#include <span>
#include <string_view>

namespace lisle::replay {

class arguments;

struct played_function {
    std::string_view name;
    void (*play)(arguments &);
};

/// Those that are generated from the standard's table, and those about requests and probes.
[[nodiscard]] std::span<const played_function> generated_functions() noexcept;
[[nodiscard]] std::span<const played_function> special_functions() noexcept;

/// Null: a replay cannot call it.
[[nodiscard]] const played_function *find_function(std::string_view name) noexcept;

} // namespace lisle::replay
