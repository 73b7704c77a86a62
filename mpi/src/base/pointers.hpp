// SPDX-License-Identifier: Apache-2.0
// Lists of words as execve takes them.
#pragma once

#include <string>
#include <vector>

namespace lisle {

/// The texts' addresses and a null pointer. execve writes to none of them.
[[nodiscard]] inline std::vector<char *> pointers_to(const std::vector<std::string> &texts) {
    std::vector<char *> pointers;
    pointers.reserve(texts.size() + 1);
    for (const auto &text : texts) {
        pointers.push_back(const_cast<char *>(text.c_str()));
    }
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace lisle
