// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/preloaded.hpp"

#include "base/text.hpp"

#include <fnmatch.h>

namespace lisle::launch {

std::optional<std::string> preloaded_private_library(std::string_view patterns, std::string_view preloaded) {
    constexpr std::string_view separators = ":, ";
    for (const std::string_view each : words_of(patterns, separators)) {
        const std::string pattern{each};
        for (const std::string_view library : words_of(preloaded, separators)) {
            const std::string path{library};
            const std::string name{base_name(library)};
            if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
                fnmatch(pattern.c_str(), path.c_str(), 0) == 0) {
                return path;
            }
        }
    }
    return std::nullopt;
}

} // namespace lisle::launch
