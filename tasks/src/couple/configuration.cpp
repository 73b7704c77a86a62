// SPDX-License-Identifier: Apache-2.0
#include "couple/configuration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "couple/declaration.hpp"
#include "couple/rejection.hpp"

namespace lisle::couple::detail {

namespace {

/// One line, read from left to right.
class line_reader {
  public:
    line_reader(const std::string &file, std::size_t line, std::string_view text)
        : file_{file}, line_{line}, text_{text} {}

    /// True if nothing is left but blanks and a comment.
    [[nodiscard]] bool is_at_end() {
        skip_blanks();
        return at_ == text_.size() || text_[at_] == '#';
    }
    std::string name(const char *of_what) {
        skip_blanks();
        if (at_ != text_.size() && text_[at_] == '"') {
            return quoted();
        }
        const std::string_view word = up_to(" \t\r.\"#");
        if (word.empty()) {
            fail(std::string{of_what} + " is missing here");
        }
        return std::string{word};
    }
    void symbol(std::string_view expected) {
        skip_blanks();
        if (text_.substr(at_, expected.size()) != expected) {
            fail("\"" + std::string{expected} + "\" is missing here");
        }
        at_ += expected.size();
    }
    /// A word of the language. Errors that the caller finds in it are told of its place.
    std::string_view word() {
        skip_blanks();
        word_ = at_;
        return up_to(" \t\r#");
    }
    ticks number(const char *of_what) {
        const std::string_view digits = word();
        ticks number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) {
            fail_at(word_, std::string{of_what} + " has to be a whole number");
        }
        return number;
    }
    [[noreturn]] void fail(const std::string &sentence) const { fail_at(at_, sentence); }
    [[noreturn]] void fail_at_word(const std::string &sentence) const { fail_at(word_, sentence); }

  private:
    void skip_blanks() { up_to_other_than(" \t\r"); }
    void up_to_other_than(std::string_view letters) {
        at_ = std::min(text_.find_first_not_of(letters, at_), text_.size());
    }
    std::string_view up_to(std::string_view letters) {
        const std::size_t begin = at_;
        at_ = std::min(text_.find_first_of(letters, at_), text_.size());
        return text_.substr(begin, at_ - begin);
    }
    std::string quoted() {
        const std::size_t end = text_.find('"', at_ + 1);
        if (end == std::string_view::npos) {
            fail("a name that begins with a quote has to end with one");
        }
        const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return std::string{name};
    }
    [[noreturn]] void fail_at(std::size_t column, const std::string &sentence) const {
        reject(file_ + ":" + std::to_string(line_) + ":" + std::to_string(column + 1) + ": " + sentence);
    }

    const std::string &file_;
    std::size_t line_;
    std::string_view text_;
    std::size_t at_ = 0, word_ = 0;
};

constexpr std::array all_ways{over_time::latest, over_time::linear,  over_time::mean,
                              over_time::sum,    over_time::minimum, over_time::maximum};

void read_option(line_reader &from, configured_want &into) {
    const std::string_view word = from.word();
    if (word == "lag") {
        into.lag = from.number("a lag");
        return;
    }
    if (word == "every") {
        into.every = from.number("a coupling period");
        return;
    }
    if (word == "iterated") {
        into.is_iterated = true;
        return;
    }
    const auto way = std::ranges::find_if(all_ways, [&](over_time each) { return name_of(each) == word; });
    if (way == all_ways.end()) {
        from.fail_at_word(
            "\"" + std::string{word} +
            "\" is none of latest, linear, mean, sum, minimum, maximum, lag N, every N, iterated");
    }
    into.how = *way;
}

} // namespace

std::vector<configured_want> read_configuration(const std::string &name, const std::string &text) {
    std::vector<configured_want> all;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        line_reader line{name, number + 1, std::string_view{text}.substr(begin, end - begin)};
        begin = end + 1;
        if (line.is_at_end()) {
            continue;
        }
        configured_want next;
        next.line = number + 1;
        next.component = line.name("the name of a component");
        line.symbol(".");
        next.want = line.name("the name of what it wants");
        line.symbol("<-");
        next.from = line.name("the name of a component");
        line.symbol(".");
        next.field = line.name("the name of its field");
        while (!line.is_at_end()) {
            read_option(line, next);
        }
        all.push_back(std::move(next));
    }
    return all;
}

} // namespace lisle::couple::detail
