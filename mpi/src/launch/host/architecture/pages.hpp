// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lisle::host {

constexpr std::size_t page = 4096;

[[nodiscard]] constexpr std::size_t page_floor(std::size_t at) {
    return at & ~(page - 1);
}
[[nodiscard]] constexpr std::size_t page_ceiling(std::size_t at) {
    return page_floor(at + page - 1);
}

} // namespace lisle::host
