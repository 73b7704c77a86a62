// SPDX-License-Identifier: Apache-2.0
// Weights as lines of text. A line belongs to the rank in whose stretch of the file it begins.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

#include <lisle/file.hpp>

#include "couple/agreement.hpp"
#include "couple/file_entries.hpp"

namespace lisle::couple::detail {

namespace {

constexpr std::int64_t version = 1;
constexpr std::size_t piece = 4096; ///< of the file, where a line ends somewhere

/// A mistake in a line: in which column, from 1, and what it is.
struct mistake {
    std::size_t column;
    std::string sentence;
};

/// Reads a line word by word.
class words_of_line {
  public:
    explicit words_of_line(std::string_view line) : line_{line} { skip_blanks(); }
    [[nodiscard]] bool is_at_end() const noexcept { return at_ == line_.size(); }
    [[nodiscard]] std::size_t column() const noexcept { return at_ + 1; }
    std::string_view next() noexcept {
        const std::size_t end = std::min(line_.find_first_of(blanks, at_), line_.size());
        const std::string_view word = line_.substr(at_, end - at_);
        at_ = end;
        skip_blanks();
        return word;
    }
    /// Throws a mistake unless the next word is such a number. @param what the number is
    template <class Number> Number number(const std::string &what) {
        const std::size_t column = this->column();
        const std::string_view word = next();
        Number value{};
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size()) {
            throw mistake{column, word.empty() ? "the line ends before " + what
                                               : "\"" + std::string{word.substr(0, longest_shown)} +
                                                     "\" is not " + what};
        }
        return value;
    }
    void expect(std::string_view expected) {
        const std::size_t column = this->column();
        if (const std::string_view word = next(); word != expected) {
            throw mistake{column, "\"" + std::string{expected} + "\" is missing"};
        }
    }
    void expect_end() const {
        if (!is_at_end()) {
            throw mistake{column(), "the line is too long"};
        }
    }

  private:
    static constexpr std::string_view blanks = " \t\r";
    static constexpr std::size_t longest_shown = 40; ///< of a word that is wrong
    void skip_blanks() noexcept { at_ = std::min(line_.find_first_not_of(blanks, at_), line_.size()); }
    std::string_view line_;
    std::size_t at_ = 0;
};

global_index point_of(words_of_line &line, const std::string &whose, global_index points) {
    const std::size_t column = line.column();
    const auto point = line.number<global_index>("a point of the " + whose);
    if (point < 0 || point >= points) {
        throw mistake{column, "the " + whose + "'s grid of " + std::to_string(points) +
                                  " points has no point " + std::to_string(point)};
    }
    return point;
}

std::optional<file_entry> entry_of(std::string_view text, const file_header &header) {
    words_of_line line{text};
    if (line.is_at_end() || text.front() == '#') {
        return {};
    }
    const global_index row = point_of(line, "receiver", header.rows),
                       column = point_of(line, "sender", header.columns);
    const std::size_t where = line.column();
    const auto factor = line.number<double>("a factor");
    if (!std::isfinite(factor)) {
        throw mistake{where, "the factor is not finite"};
    }
    line.expect_end();
    return file_entry{row, column, factor};
}

std::int64_t count_of(words_of_line &line, std::string_view name) {
    line.expect(name);
    const std::size_t column = line.column();
    const auto count = line.number<std::int64_t>("a number");
    if (count < 0) {
        throw mistake{column, "there cannot be " + std::to_string(count) + " " + std::string{name}};
    }
    return count;
}

void check_first_line(std::string_view text) {
    words_of_line line{text};
    line.expect("lisle");
    line.expect("weights");
    const std::size_t column = line.column();
    if (const auto own = line.number<std::int64_t>("a version"); own != version) {
        throw mistake{column, "the version " + std::to_string(own) + " is not known, only " +
                                  std::to_string(version)};
    }
    line.expect_end();
}

file_header header_of(std::string_view text) {
    words_of_line line{text};
    file_header header;
    header.rows = count_of(line, "rows");
    header.columns = count_of(line, "columns");
    header.entries = count_of(line, "entries");
    line.expect_end();
    return header;
}

std::string sentence_of(const std::string &path, std::int64_t line, const mistake &what) {
    return path + ":" + std::to_string(line) + ":" + std::to_string(what.column) + ": " + what.sentence;
}

/// Calls function(line) for each line of a text, until it returns false.
template <class Do> void for_lines_of(std::string_view text, const Do &function) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (!function(text.substr(0, end))) {
            return;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// The lines that begin in a stretch of the file, each whole.
std::string lines_of(const file<char> &from, std::size_t body, std::size_t begin, std::size_t end) {
    // The character before tells whether a line begins here.
    const std::size_t before = begin > body && begin < end ? 1 : 0;
    std::vector<char> read = from.read_all(begin - before, end - begin + before);
    std::string text(read.begin(), read.end());
    if (before != 0) {
        text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
    }
    for (; !text.empty() && text.back() != '\n' && end < from.size(); end += piece) {
        read = from.read(end, piece);
        const auto newline = std::ranges::find(read, '\n');
        text.append(read.begin(), newline == read.end() ? newline : newline + 1);
    }
    return text;
}

/// Where the body begins, and what the two lines before it say.
std::pair<file_header, std::size_t> read_header(const communicator &ranks, const std::string &path,
                                                const file<char> &from) {
    const std::vector<char> read = from.read_all(0, piece);
    std::size_t lines = 0, body = 0;
    std::pair<file_header, std::size_t> made;
    std::string wrong;
    for_lines_of({read.data(), read.size()}, [&](std::string_view line) {
        ++lines;
        body += line.size() + 1;
        try {
            if (lines == 1) {
                check_first_line(line);
            } else {
                made = {header_of(line), std::min(body, from.size())};
            }
        } catch (const mistake &what) {
            wrong = sentence_of(path, static_cast<std::int64_t>(lines), what);
        }
        return lines != 2 && wrong.empty();
    });
    if (wrong.empty() && lines != 2) {
        wrong = sentence_of(path, 2, {1, "the line with rows, columns and entries is missing"});
    }
    agree_on(ranks, wrong, false);
    return made;
}

std::string text_of(const std::vector<file_entry> &entries) {
    std::string text;
    const auto append = [&text](auto number, char behind) {
        constexpr std::size_t longest_number = 32;
        std::array<char, longest_number> digits{};
        const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
        text.append(digits.data(), end);
        text += behind;
    };
    for (const file_entry &each : entries) {
        append(each.row, ' ');
        append(each.column, ' ');
        append(each.factor, '\n');
    }
    return text;
}

} // namespace

file_part read_text(const communicator &ranks, const std::string &path) {
    const file<char> from{ranks, path};
    const auto [header, body] = read_header(ranks, path, from);
    const auto bound = [&, size = from.size(), body = body](int rank) {
        return body + (size - body) * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks.size());
    };
    const std::string lines = lines_of(from, body, bound(ranks.rank()), bound(ranks.rank() + 1));

    file_part own{header, {}};
    std::int64_t count = 0;
    std::optional<mistake> wrong;
    for_lines_of(lines, [&, header = header](std::string_view line) {
        ++count;
        try {
            if (const auto entry = entry_of(line, header)) {
                own.entries.push_back(*entry);
            }
        } catch (mistake &what) {
            wrong = std::move(what);
        }
        return !wrong;
    });
    // The ranks before the first mistake have counted all of their lines.
    constexpr std::int64_t lines_of_header = 2;
    const std::int64_t before = lines_of_header + ranks.exscan(count, std::plus<>{}, std::int64_t{0});
    agree_on(ranks, wrong ? sentence_of(path, before + count, *wrong) : std::string{}, false);

    const auto found = ranks.allreduce(static_cast<std::int64_t>(own.entries.size()), std::plus<>{});
    agree_on(ranks,
             found == header.entries
                 ? std::string{}
                 : sentence_of(path, lines_of_header,
                               {1, std::to_string(header.entries) + " entries are announced, there are " +
                                       std::to_string(found)}),
             false);
    return own;
}

void write_text(const communicator &ranks, const std::string &path, const file_part &own) {
    std::string text;
    if (ranks.rank() == 0) {
        text = "lisle weights " + std::to_string(version) + "\nrows " + std::to_string(own.header.rows) +
               " columns " + std::to_string(own.header.columns) + " entries " +
               std::to_string(own.header.entries) + "\n";
    }
    text += text_of(own.entries);
    auto into = file<char>::create(ranks, path);
    into.write_all(ranks.exscan(text.size(), std::plus<>{}, std::size_t{0}), text);
    into.close();
}

} // namespace lisle::couple::detail
