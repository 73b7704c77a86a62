// SPDX-License-Identifier: Apache-2.0
#include "world/pmi/wire_text.hpp"

#include <charconv>

namespace lisle {

std::string to_text(std::span<const std::byte> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::byte each : bytes) {
        const auto value = std::to_integer<std::size_t>(each);
        text.push_back(digits[value >> 4U]);
        text.push_back(digits[value & 15U]);
    }
    return text;
}

std::optional<std::vector<std::byte>> from_text(std::string_view text) {
    if (text.size() % 2 != 0) {
        return std::nullopt;
    }
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t at = 0; at < text.size(); at += 2) {
        unsigned char value = 0;
        const char *const end = text.data() + at + 2;
        if (std::from_chars(text.data() + at, end, value, 16).ptr != end) {
            return std::nullopt;
        }
        bytes.push_back(std::byte{value});
    }
    return bytes;
}

} // namespace lisle
