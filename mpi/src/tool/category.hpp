// SPDX-License-Identifier: Apache-2.0
// Categories: the variables and events of the tool interface by subject. Fixed when the library is built.
#pragma once

#include <string_view>
#include <vector>

namespace lisle::tool {

struct category {
    std::string_view name;
    const char *meaning;
    std::vector<int> controls;
    std::vector<int> performances;
    std::vector<int> events;
    std::vector<int> categories;
};

[[nodiscard]] const std::vector<category> &all_categories();

} // namespace lisle::tool
