// SPDX-License-Identifier: Apache-2.0
// Bytes as text that every launcher's store of values takes: hexadecimal digits.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lisle {

/// Two lower-case hexadecimal digits for each byte.
[[nodiscard]] std::string to_text(std::span<const std::byte> bytes);
/// The bytes behind such a text; nothing if it is none.
[[nodiscard]] std::optional<std::vector<std::byte>> from_text(std::string_view text);

} // namespace lisle
