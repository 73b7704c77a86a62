// SPDX-License-Identifier: Apache-2.0
// Writes values as JSON, for the script of a page.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace lisle::report {

class json {
  public:
    json &begin_object() { return open('{'); }
    json &end_object() { return shut('}'); }
    json &begin_array() { return open('['); }
    json &end_array() { return shut(']'); }
    json &key(std::string_view name) {
        value(name);
        text_ += ':';
        first_ = true;
        return *this;
    }
    json &value(std::string_view text) {
        separate();
        text_ += '"';
        for (const char each : text) {
            add_character(each);
        }
        text_ += '"';
        return *this;
    }
    json &value(const char *text) { return value(std::string_view{text}); }
    json &value(std::uint64_t number) { return raw(std::to_string(number)); }
    json &value(std::int64_t number) { return raw(std::to_string(number)); }
    json &value(int number) { return raw(std::to_string(number)); }
    json &value(bool is) { return raw(is ? "true" : "false"); }
    json &value(double number) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.6g", number);
        return raw(digits);
    }
    /// Of a time in ns, all digits.
    json &microseconds(std::uint64_t ns) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%llu.%03u", static_cast<unsigned long long>(ns / 1000),
                      static_cast<unsigned>(ns % 1000));
        return raw(digits);
    }
    /// Bytes, in base 64.
    json &bytes(std::span<const unsigned char> data) {
        constexpr std::string_view digits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        separate();
        text_ += '"';
        for (std::size_t at = 0; at < data.size(); at += 3) {
            const auto byte = [&](std::size_t place) {
                return place < data.size() ? std::uint32_t{data[place]} : 0U;
            };
            const std::uint32_t three = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
            for (std::size_t place = 0; place != 4; ++place) {
                const bool is_there = at + place <= data.size();
                text_ += is_there ? digits[(three >> (18 - 6 * place)) & 63] : '=';
            }
        }
        text_ += '"';
        return *this;
    }
    [[nodiscard]] const std::string &text() const { return text_; }

  private:
    json &open(char bracket) {
        separate();
        text_ += bracket;
        first_ = true;
        return *this;
    }
    json &shut(char bracket) {
        text_ += bracket;
        first_ = false;
        return *this;
    }
    json &raw(std::string_view value) {
        separate();
        text_ += value;
        return *this;
    }
    void separate() {
        if (!first_) {
            text_ += ',';
        }
        first_ = false;
    }
    // Within a page: nothing that ends its script.
    void add_character(char each) {
        const auto code = static_cast<unsigned char>(each);
        if (each == '"' || each == '\\') {
            text_ += '\\';
            text_ += each;
        } else if (code < 0x20 || each == '<') {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
            text_ += escaped;
        } else {
            text_ += each;
        }
    }

    std::string text_;
    bool first_ = true;
};

} // namespace lisle::report
