// SPDX-License-Identifier: Apache-2.0
// Failures among the values that an expression gets: the first of them becomes its value, too.
#pragma once

#include <span>

#include <lisle/task/value.hpp>

namespace lisle::tasks {

/// The first failure, or null.
inline const failure *failed(std::span<const value> arguments) noexcept {
    for (const value &each : arguments) {
        if (each.is(object_kind::failure)) {
            return &each.as<failure>();
        }
    }
    return nullptr;
}
/// The same failure as a value.
inline value again(const failure &reason) {
    return ref<failure>{const_cast<failure *>(&reason)};
}

} // namespace lisle::tasks
