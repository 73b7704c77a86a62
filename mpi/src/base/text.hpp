// SPDX-License-Identifier: Apache-2.0
// Parts of texts: entries of lists, words, numbers, names of files; and words in lines.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lisle {

/// The entries of a list, empty ones included; an empty text is a list of one empty entry.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> entries;
    while (true) {
        const std::size_t end = text.find(separator);
        entries.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return entries;
        }
        text.remove_prefix(end + 1);
    }
}

/// The words of a text: its parts between any of the separators, without empty ones.
[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view text,
                                                            std::string_view separators) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        if (end != 0) {
            words.push_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// The number from 0 on that the whole text is; nothing if it is none.
[[nodiscard]] inline std::optional<int> whole_number(std::string_view text) {
    int number = -1;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = problem == std::errc{} && end == text.data() + text.size();
    return whole && number >= 0 ? std::optional{number} : std::nullopt;
}

/// Appends words in lines of at most `width` columns, each behind `indent` spaces. @param column of the line
/// that has begun
inline void append_wrapped(std::string &text, std::string_view words, std::size_t indent, std::size_t width,
                           std::size_t column = 0) {
    while (!words.empty()) {
        const auto end = std::min(words.find(' '), words.size());
        if (column > indent && column + 1 + end >= width) {
            text += '\n';
            column = 0;
        }
        if (column < indent) {
            text.append(indent - column, ' ');
            column = indent;
        } else if (column > indent) {
            text += ' ';
            ++column;
        }
        text += words.substr(0, end);
        column += end;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    text += '\n';
}

/// What stands behind the last '/' of a path.
[[nodiscard]] constexpr std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

} // namespace lisle
