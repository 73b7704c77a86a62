// SPDX-License-Identifier: Apache-2.0
// Text to data: S-expressions with line and column of everything, and errors that say what was expected.
#include <lisle/task/datum.hpp>

#include <cctype>
#include <charconv>

namespace lisle::tasks {

namespace {

class reader {
  public:
    reader(const std::string &text, const std::string &file) noexcept : text_{text}, file_{file} {}

    std::vector<datum> forms() {
        std::vector<datum> all;
        for (skip_blank(); !at_end(); skip_blank()) {
            all.push_back(next());
        }
        return all;
    }

  private:
    // Readers and compilers go down with the text, each on the stack of its caller.
    static constexpr int most_nested = 2000;

    datum next() {
        skip_blank();
        const place where = here_;
        if (depth_ == most_nested) {
            refuse(where, "an expression lies within " + std::to_string(most_nested) +
                              " others, which is the most; give parts of it names, with let or define");
        }
        ++depth_;
        datum read = expression(where);
        --depth_;
        return read;
    }

    datum expression(place where) {
        if (at_end()) {
            refuse(where, "the text ends where an expression was expected");
        }
        switch (peek()) {
        case '(':
            return parenthesised();
        case ')':
            refuse(where, "')' closes nothing: an expression was expected");
        case '\'':
            advance();
            return datum::of_list({datum::of_symbol("quote", where), next()}, where);
        case '"':
            return string();
        case '[':
        case ']':
            refuse(where,
                   std::string{"'"} + peek() + "' stands alone: brackets follow a name, as in sort[3]");
        default:
            return word();
        }
    }

    datum parenthesised() {
        const place where = here_;
        advance();
        std::vector<datum> items;
        for (skip_blank(); at_end() || peek() != ')'; skip_blank()) {
            if (at_end()) {
                refuse(here_, "the text ends where ')' was expected, to close '(' of line " +
                                  std::to_string(where.line) + ", column " + std::to_string(where.column));
            }
            items.push_back(next());
        }
        advance();
        return datum::of_list(std::move(items), where);
    }

    datum string() {
        const place where = here_;
        advance();
        std::string content;
        while (at_end() || peek() != '"') {
            if (at_end()) {
                refuse(where, "a text begins here, and its closing '\"' was expected before the end");
            }
            char letter = take();
            if (letter == '\\' && !at_end()) {
                letter = take();
                letter = letter == 'n' ? '\n' : letter == 't' ? '\t' : letter;
            }
            content += letter;
        }
        advance();
        return datum::of_constant(value{content}, where);
    }

    // A number, true, false, or a name with its placement.
    datum word() {
        const place where = here_;
        std::string name;
        while (!at_end() && is_name(peek())) {
            name += take();
        }
        if (name.empty()) {
            refuse(where, std::string{"'"} + peek() +
                              "' begins no expression: a number, a text, a name or '(' was expected");
        }
        if (name == "true" || name == "false") {
            return datum::of_constant(value{name == "true"}, where);
        }
        if (begins_number(name)) {
            return number(name, where);
        }
        datum made = datum::of_symbol(name, where);
        if (!at_end() && peek() == '[') {
            made.tile.push_back(bracketed());
        }
        if (!at_end() && peek() == '@') {
            advance();
            if (at_end() || std::isspace(static_cast<unsigned char>(peek())) != 0) {
                refuse(here_, "a rank or a policy was expected after '@': a number, a name or '('");
            }
            made.rank.push_back(next());
        }
        if (!at_end() && peek() == '^') {
            advance();
            if (at_end() || std::isspace(static_cast<unsigned char>(peek())) != 0) {
                refuse(here_, "a priority was expected after '^': a number, a name or '('");
            }
            made.priority.push_back(next());
        }
        return made;
    }

    datum bracketed() {
        const place where = here_;
        advance();
        datum inside = next();
        skip_blank();
        if (at_end() || peek() != ']') {
            refuse(here_, "']' was expected, to close '[' of line " + std::to_string(where.line) +
                              ", column " + std::to_string(where.column));
        }
        advance();
        return inside;
    }

    static bool begins_number(const std::string &name) noexcept {
        const std::size_t first = name[0] == '-' || name[0] == '+' ? 1 : 0;
        return first < name.size() && (std::isdigit(static_cast<unsigned char>(name[first])) != 0 ||
                                       (name[first] == '.' && first + 1 < name.size() &&
                                        std::isdigit(static_cast<unsigned char>(name[first + 1])) != 0));
    }

    datum number(const std::string &name, place where) const {
        const char *const first = name.data() + (name[0] == '+' ? 1 : 0), *const last =
                                                                              name.data() + name.size();
        std::int64_t whole = 0;
        if (const auto read = std::from_chars(first, last, whole); read.ptr == last) {
            if (read.ec == std::errc::result_out_of_range) {
                refuse(where, name + " is beyond what an integer holds (-2^63 to 2^63 - 1)");
            }
            return datum::of_constant(value{whole}, where);
        }
        double real = 0;
        if (const auto read = std::from_chars(first, last, real);
            read.ptr == last && read.ec == std::errc{}) {
            return datum::of_constant(value{real}, where);
        }
        refuse(where, "'" + name + "' begins like a number and is none");
    }

    static bool is_name(char letter) noexcept {
        return std::isspace(static_cast<unsigned char>(letter)) == 0 && letter != '(' && letter != ')' &&
               letter != '[' && letter != ']' && letter != '\'' && letter != '"' && letter != ';' &&
               letter != '@' && letter != '^';
    }

    void skip_blank() {
        while (!at_end()) {
            if (peek() == ';') {
                while (!at_end() && peek() != '\n') {
                    advance();
                }
            } else if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
                advance();
            } else {
                return;
            }
        }
    }

    [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
    [[nodiscard]] char peek() const noexcept { return text_[at_]; }
    char take() noexcept {
        const char letter = peek();
        advance();
        return letter;
    }
    void advance() noexcept {
        if (text_[at_++] == '\n') {
            ++here_.line;
            here_.column = 1;
        } else {
            ++here_.column;
        }
    }
    [[noreturn]] void refuse(place where, const std::string &message) const {
        throw program_error{file_, where, message};
    }

    const std::string &text_;
    const std::string &file_;
    std::size_t at_ = 0;
    place here_{1, 1};
    int depth_ = 0;
};

} // namespace

source read(const std::string &text, std::string file) {
    source made{std::move(file), {}};
    made.forms = reader{text, made.file}.forms();
    return made;
}

std::string to_string(const datum &shown) {
    switch (shown.is) {
    case datum::kind::constant:
        return to_string(shown.constant);
    case datum::kind::symbol:
        return shown.symbol + (shown.tile.empty() ? "" : "[" + to_string(shown.tile[0]) + "]") +
               (shown.rank.empty() ? "" : "@" + to_string(shown.rank[0])) +
               (shown.priority.empty() ? "" : "^" + to_string(shown.priority[0]));
    case datum::kind::list:
        break;
    }
    std::string all = "(";
    for (const datum &item : shown.items) {
        all += (all.size() == 1 ? "" : " ") + to_string(item);
    }
    return all + ")";
}

} // namespace lisle::tasks
