// SPDX-License-Identifier: Apache-2.0
// What a recorded rank starts is not recorded.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace lisle::report {

/// Takes a recorder out of what jobs and programs inherit that the rank starts: the launcher has put it
/// first.
/// @param folder_variable where it is told to record to @param recorder where it is installed
inline void leave_children_alone(const char *folder_variable, std::string_view recorder) noexcept {
    unsetenv(folder_variable);
    const char *const preloaded = std::getenv("LD_PRELOAD");
    const std::string_view all{preloaded != nullptr ? preloaded : ""};
    if (all.substr(0, all.find(':')).ends_with(recorder)) {
        const std::string others{all.find(':') == std::string_view::npos ? std::string_view{}
                                                                         : all.substr(all.find(':') + 1)};
        others.empty() ? unsetenv("LD_PRELOAD") : setenv("LD_PRELOAD", others.c_str(), 1);
    }
}

} // namespace lisle::report
