// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace lisle::host {

constexpr std::int64_t second = 1'000'000'000; ///< in nanoseconds

[[nodiscard]] inline std::int64_t nanoseconds_of(const timespec &time) noexcept {
    return time.tv_sec * second + time.tv_nsec;
}

} // namespace lisle::host
