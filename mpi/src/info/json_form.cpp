// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "info/forms.hpp"

namespace lisle::info {

namespace {

std::string quoted(const std::string &text) {
    std::string result = "\"";
    for (const char each : text) {
        if (each == '"' || each == '\\') {
            result += '\\';
        }
        if (static_cast<unsigned char>(each) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(each));
            result += code;
        } else {
            result += each;
        }
    }
    return result + '"';
}

} // namespace

std::string json_form(const description &all) {
    std::string text = "{";
    for (const section &one : all) {
        text += (text.size() > 1 ? ",\n" : "\n") + ("  " + quoted(one.name)) + ": [";
        bool first = true;
        for (const entry &each : one.entries) {
            text += std::string{first ? "" : ","} + "\n    {\"name\": " + quoted(each.name) +
                    ", \"value\": " + quoted(each.value) + ", \"remark\": " + quoted(each.remark) + "}";
            first = false;
        }
        text += "\n  ]";
    }
    return text + "\n}\n";
}

} // namespace lisle::info
