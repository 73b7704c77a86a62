// SPDX-License-Identifier: Apache-2.0
// The table of settings for people: the text of `lislerun --help settings`, and the page docs/settings.md.
#pragma once

#include <string>

namespace lisle {

[[nodiscard]] std::string settings_text();
[[nodiscard]] std::string settings_page();

} // namespace lisle
