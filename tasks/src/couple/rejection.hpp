// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace lisle::couple::detail {

/// What a caller may not do, as the standard's error for wrong arguments.
[[noreturn]] inline void reject(const std::string &sentence) {
    throw std::invalid_argument{"couple: " + sentence};
}

} // namespace lisle::couple::detail
