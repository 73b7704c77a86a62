// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "info/forms.hpp"

namespace lisle::info {

namespace {

std::size_t widest_name(const section &one) {
    constexpr std::size_t most = 36; // what is longer stands out
    std::size_t width = 0;
    for (const entry &each : one.entries) {
        width = std::max(width, std::min(most, each.name.size()));
    }
    return width;
}

} // namespace

std::string text_form(const description &all) {
    std::string text;
    for (const section &one : all) {
        text += (text.empty() ? "" : "\n") + one.name + ":\n";
        const std::size_t width = widest_name(one);
        for (const entry &each : one.entries) {
            const std::string room(width - std::min(width, each.name.size()), ' ');
            text += "  " + each.name + room + "  " + (each.value.empty() ? "-" : each.value);
            text += each.remark.empty() ? "\n" : "  (" + each.remark + ")\n";
        }
    }
    return text;
}

} // namespace lisle::info
