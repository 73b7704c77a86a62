// SPDX-License-Identifier: Apache-2.0
// What the machine, and the control groups around a process (both versions), leave it of memory and of tasks.
#pragma once

#include <cstdint>
#include <string>

namespace lisle {

/// A limit and what sets it; `value` is the largest number there is where nothing does.
struct resource_limit {
    std::uint64_t value = UINT64_MAX;
    std::string name;

    void lower(std::uint64_t other, std::string other_name) {
        if (other < value) {
            *this = {other, std::move(other_name)};
        }
    }
};

/// Bytes that may still be used. Reads files of the system each time.
[[nodiscard]] resource_limit memory_left();
/// The same of processes and threads.
[[nodiscard]] resource_limit tasks_left();

} // namespace lisle
