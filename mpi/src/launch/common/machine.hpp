// SPDX-License-Identifier: Apache-2.0
// The machine that the launcher runs on.
#pragma once

#include <string>
#include <string_view>

namespace lisle::launch {

/// Its name.
[[nodiscard]] std::string host_name();

/// True if this is a name or an address of it.
[[nodiscard]] bool is_this_machine(std::string_view host);

} // namespace lisle::launch
