// SPDX-License-Identifier: Apache-2.0
#include "abi/call_place.hpp"

#include <algorithm>
#include <cstring>

#include "diagnosis/source_line.hpp"

int lisle_call_place(const void *site, const void *outer, char *text, int room) noexcept {
    text[0] = '\0';
    try {
        // The call itself is before where it returns to.
        const auto call_before = [](const void *returns_to) {
            return static_cast<const char *>(returns_to) - 1;
        };
        lisle::abi::code_place place = lisle::abi::place_of(call_before(site));
        if (place.file.empty()) {
            return 1;
        }
        if (const auto around =
                outer != nullptr ? lisle::abi::place_of(call_before(outer)) : lisle::abi::code_place{};
            around.file == place.file) {
            place.offsets[1] = around.offsets[0];
        }
        const std::string line = lisle::source_line(place.file, place.offsets);
        const std::size_t length = std::min(line.size(), static_cast<std::size_t>(room) - 1);
        std::memcpy(text, line.data(), length);
        text[length] = '\0';
        // A place without debug information ("ring+0x11c3") is the program's as far as is known.
        const bool is_known = line.find('+') == std::string::npos;
        return is_known && outer == nullptr && !lisle::leads_to_program(place.file, place.offsets) ? 0 : 1;
    } catch (...) {
        return 1; // no memory to look it up
    }
}
