// SPDX-License-Identifier: Apache-2.0
// What lisle-info knows, and the forms in which it prints it.
#pragma once

#include <string>
#include <vector>

namespace lisle::info {

struct entry {
    std::string name, value, remark;
};
struct section {
    std::string name;
    std::vector<entry> entries;
};
using description = std::vector<section>;

/// Lines for people.
[[nodiscard]] std::string text_form(const description &all);
/// An object with a list for each section, of objects with name, value and remark.
[[nodiscard]] std::string json_form(const description &all);

} // namespace lisle::info
