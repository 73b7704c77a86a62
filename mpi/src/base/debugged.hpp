// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace lisle {

/// Whether a debugger is attached to this process, or another program that traces it.
[[nodiscard]] inline bool is_debugged() {
    constexpr std::string_view name = "TracerPid:";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name)) {
            return line.find_first_of("123456789", name.size()) != std::string::npos;
        }
    }
    return false;
}

} // namespace lisle
