// SPDX-License-Identifier: Apache-2.0
#include "launch/preloaded.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <vector>

namespace lisle::launch {

namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(":, "), text.size());
        if (end > 0) {
            words.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

} // namespace

std::optional<std::string> preloaded_private_library(std::string_view patterns, std::string_view preloaded) {
    for (const auto &pattern : words_of(patterns)) {
        for (const auto &library : words_of(preloaded)) {
            const auto name = library.substr(library.rfind('/') + 1); // npos + 1 is 0
            if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
                fnmatch(pattern.c_str(), library.c_str(), 0) == 0) {
                return library;
            }
        }
    }
    return std::nullopt;
}

} // namespace lisle::launch
