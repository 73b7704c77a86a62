// SPDX-License-Identifier: Apache-2.0
// Words as text, each with its length ahead, so that they may have any characters: how ranks tell each other
// what they have declared, and how a restart file begins.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "couple/rejection.hpp"

namespace lisle::couple::detail {

class word_writer {
  public:
    word_writer &operator<<(const std::string &word) {
        text_ += std::to_string(word.size()) + ":" + word;
        return *this;
    }
    word_writer &operator<<(std::int64_t number) { return *this << std::to_string(number); }
    [[nodiscard]] std::string text() && { return std::move(text_); }

  private:
    std::string text_;
};

/// Throws std::invalid_argument where the text is none of a word_writer's.
class word_reader {
  public:
    explicit word_reader(std::string_view text) : text_{text} {}
    [[nodiscard]] bool is_at_end() const noexcept { return at_ == text_.size(); }
    std::string word() {
        const std::size_t colon = text_.find(':', at_);
        const std::int64_t length =
            colon == std::string_view::npos ? -1 : whole(text_.substr(at_, colon - at_));
        if (length < 0 || static_cast<std::size_t>(length) > text_.size() - colon - 1) {
            reject("the text of a declaration is damaged at character " + std::to_string(at_));
        }
        at_ = colon + 1 + static_cast<std::size_t>(length);
        return std::string{text_.substr(colon + 1, static_cast<std::size_t>(length))};
    }
    std::int64_t number() { return whole(word()); }

  private:
    static std::int64_t whole(std::string_view digits) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error != std::errc{} || end != digits.data() + digits.size()) {
            reject("\"" + std::string{digits} + "\" stands in a declaration's text for a number");
        }
        return number;
    }
    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace lisle::couple::detail
