// SPDX-License-Identifier: Apache-2.0
// The parser: walks over the words, finds each option in the tables, and calls its row's function.
#include <algorithm>
#include <deque>
#include <utility>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/command_line.hpp"
#include "launch/options/option.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

namespace {

class parser {
  public:
    explicit parser(std::span<const std::string_view> words) : words_(words.begin(), words.end()) {}
    job_request run();

  private:
    class use;

    [[nodiscard]] std::string next() {
        auto word = std::move(words_.front());
        words_.pop_front();
        return word;
    }
    void parse_program();
    void parse_option(const std::string &word);
    [[noreturn]] static void unknown(std::string_view word);

    std::deque<std::string> words_; // what is left
    job_request job_;
    program_request program_;
    int insertions_ = 0;
};

/// The use of an option that the parser is at.
class parser::use final : public option_use {
  public:
    use(parser &of, const option &found, std::string written, int dash_count,
        std::optional<std::string> attached)
        : option_use{of.job_, of.program_, found, std::move(written), dash_count}, parser_{of},
          attached_{std::move(attached)} {}

    std::string_view value() override {
        if (attached_) {
            last_ = *std::exchange(attached_, std::nullopt);
        } else if (parser_.words_.empty() || parser_.words_.front() == ":") {
            give_up(exit_usage, shown, " needs a value: ", shown, " ", row.values);
        } else {
            last_ = parser_.next();
        }
        return last_;
    }

    std::optional<std::string_view> attached() override {
        return attached_ ? std::optional{value()} : std::nullopt;
    }

    void insert(std::vector<std::string> words) override {
        constexpr int most = 64; // a file that names itself would have no end
        if (++parser_.insertions_ > most) {
            give_up(exit_usage, shown, ": files of options name each other without end");
        }
        parser_.words_.insert(parser_.words_.begin(), std::make_move_iterator(words.begin()),
                              std::make_move_iterator(words.end()));
    }

  private:
    parser &parser_;
    std::optional<std::string> attached_; // what stood behind its '='
    std::string last_;
};

job_request parser::run() {
    while (job_.what == job_request::action::run) {
        parse_program();
        if (job_.what != job_request::action::run || words_.empty()) {
            break;
        }
        words_.pop_front(); // the ':'
    }
    if (job_.what == job_request::action::help && !words_.empty() && !words_.front().starts_with('-')) {
        job_.help_topic = next();
    }
    if (job_.what == job_request::action::core && !words_.empty()) {
        job_.core_program = next();
    }
    return std::move(job_);
}

void parser::parse_program() {
    program_ = {};
    while (!words_.empty() && words_.front().size() > 1 && words_.front()[0] == '-') {
        const auto word = next();
        if (word == "--") {
            break;
        }
        parse_option(word);
        if (job_.what != job_request::action::run) {
            return;
        }
    }
    while (!words_.empty() && words_.front() != ":") {
        program_.arguments.push_back(next());
    }
    if (program_.arguments.empty() && !job_.control.check_hosts && job_.trace.replay.empty() &&
        job_.calibration.empty()) {
        const bool first = job_.programs.empty() && words_.empty();
        give_up(exit_usage, first ? "which program? For example: lislerun -n 4 ./hello (--help tells more)"
                                  : "a program is missing beside the ':'");
    }
    job_.programs.push_back(std::move(program_));
}

void parser::parse_option(const std::string &word) {
    const int dashes = word.starts_with("--") ? 2 : 1;
    const auto start = static_cast<std::size_t>(dashes);
    const auto equals = word.find('=');
    auto name = word.substr(start, equals == std::string::npos ? equals : equals - start);
    std::optional<std::string> attached;
    if (equals != std::string::npos) {
        attached = word.substr(equals + 1);
    }
    const auto *row = find_option(name);
    if (row == nullptr && dashes == 1 && name.size() > 1 &&
        name.find_first_not_of("0123456789", 1) == std::string::npos) {
        // -n4
        attached = name.substr(1);
        name.resize(1);
        row = find_option(name);
    }
    if (row == nullptr) {
        unknown(word.substr(0, equals));
    }
    const auto shown = std::string(start, '-') + name;
    if (attached && row->value_count() == 0) {
        give_up(exit_usage, shown, " takes no value");
    }
    use at_hand{*this, *row, shown, dashes, std::move(attached)};
    row->apply(at_hand);
}

void parser::unknown(std::string_view word) {
    std::vector<std::string_view> names;
    for (const auto &table : option_tables()) {
        for (const auto &row : table.rows) {
            const auto spellings = split(row.names, '|');
            names.insert(names.end(), spellings.begin(), spellings.end());
        }
    }
    const auto bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const auto guess = nearest(bare, names);
    if (guess.empty()) {
        give_up(exit_usage, "there is no option ", word, "; --help all lists them");
    }
    give_up(exit_usage, "there is no option ", word, "; did you mean ", dashed(guess),
            "? (--help all lists them)");
}

} // namespace

job_request parse(std::span<const std::string_view> arguments) {
    return parser{arguments}.run();
}

} // namespace lisle::launch
