// SPDX-License-Identifier: Apache-2.0
// The parts of a text between separators: "eth0,eth1" is two names.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace lisle {

/// The parts in their order, empty ones too; none of an empty text.
[[nodiscard]] inline std::vector<std::string_view> parts_of(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.push_back(text.substr(0, end));
        if (end + 1 == text.size()) { // a separator at the very end has an empty part behind it
            parts.emplace_back();
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

} // namespace lisle
