// SPDX-License-Identifier: Apache-2.0
// The parser: walks over the words, finds each in the table, and does what its meaning says.
#include "launch/options.hpp"

#include <cstdio>
#include <algorithm>
#include <array>
#include <charconv>
#include <sys/utsname.h>

#include "launch/launch_error.hpp"
#include "launch/nearest.hpp"

namespace lisle::launch {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

int positive_number(std::string_view shown, std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 1) {
        give_up(exit_usage, shown, " needs a number of at least 1, not '", text, "'");
    }
    return number;
}

variable variable_of(std::string_view shown, std::string_view text) {
    const auto equals = text.find('=');
    if (text.empty() || equals == 0) {
        give_up(exit_usage, shown, " needs the name of a variable, not '", text, "'");
    }
    if (equals == std::string_view::npos) {
        return {std::string{text}, std::nullopt};
    }
    return {std::string{text.substr(0, equals)}, std::string{text.substr(equals + 1)}};
}

binding binding_of(std::string_view text, std::vector<std::string> &notices) {
    // Open MPI allows modifiers behind a colon (core:overload-allowed).
    const auto unit = text.substr(0, text.find(':'));
    if (unit == "none") {
        return binding::none;
    }
    if (unit == "core") {
        return binding::core;
    }
    if (unit == "hwthread") {
        return binding::hardware_thread;
    }
    constexpr std::array<std::string_view, 12> coarse{"socket",  "package", "numa",    "board",
                                                      "slot",    "user",    "l1cache", "l2cache",
                                                      "l3cache", "rr",      "map",     "machine"};
    if (std::find(coarse.begin(), coarse.end(), unit) == coarse.end()) {
        give_up(exit_usage, "--bind-to knows 'core' and 'none', not '", text, "'");
    }
    notices.push_back(sentence("--bind-to ", text, " is not offered; the placement is left to the system"));
    return binding::none;
}

bool is_this_machine(std::string_view name) {
    utsname about{};
    uname(&about);
    return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == about.nodename;
}

void check_hosts(std::string_view shown, std::string_view hosts) {
    for (const auto entry : split(hosts, ',')) {
        // A number of slots may stand behind a colon.
        const auto host = entry == "::1" ? entry : entry.substr(0, entry.find(':'));
        if (!is_this_machine(host)) {
            give_up(exit_usage, shown, " ", hosts, ": '", host,
                    "' is another machine, and Lisle starts jobs on this machine only");
        }
    }
}

class parser {
  public:
    explicit parser(std::span<const std::string_view> words) : words_{words} {}
    job_request run();

  private:
    [[nodiscard]] bool at_end() const { return at_ == words_.size(); }
    void parse_program();
    void parse_option(std::string_view word);
    std::string_view next_value();
    void use_fabric(std::string_view chosen);
    void apply(const option &found, int dashes);
    void add_variable(std::vector<variable> &to, bool may_be_pair);
    void list_variables(std::vector<variable> &to);
    [[noreturn]] void unknown(std::string_view word) const;

    std::span<const std::string_view> words_;
    std::size_t at_ = 0;
    job_request job_;
    program_request program_;
    std::string shown_;                              // the option at hand, as it was written
    std::optional<std::string_view> attached_value_; // what stood behind its '='
    const option *found_ = nullptr;
};

job_request parser::run() {
    while (job_.what == job_request::action::run) {
        parse_program();
        if (job_.what != job_request::action::run || at_end()) {
            break;
        }
        ++at_; // the ':'
    }
    return std::move(job_);
}

void parser::parse_program() {
    program_ = {};
    while (!at_end() && words_[at_].size() > 1 && words_[at_][0] == '-') {
        const auto word = words_[at_++];
        if (word == "--") {
            break;
        }
        parse_option(word);
        if (job_.what != job_request::action::run) {
            return;
        }
    }
    for (; !at_end() && words_[at_] != ":"; ++at_) {
        program_.arguments.emplace_back(words_[at_]);
    }
    if (program_.arguments.empty()) {
        const bool first = job_.programs.empty() && at_end();
        give_up(exit_usage, first ? "which program? For example: lislerun -n 4 ./hello (--help tells more)"
                                  : "a program is missing beside the ':'");
    }
    if (!program_.ranks && !program_.processes && !program_.ranks_per_process) {
        program_.ranks = program_.ranks_on_node;
    }
    job_.programs.push_back(std::move(program_));
}

void parser::parse_option(std::string_view word) {
    const int dashes = word.starts_with("--") ? 2 : 1;
    auto name = word.substr(static_cast<std::size_t>(dashes));
    attached_value_.reset();
    if (const auto equals = name.find('='); equals != std::string_view::npos) {
        attached_value_ = name.substr(equals + 1);
        name = name.substr(0, equals);
    }
    const auto table = option_table();
    const auto find = [&](std::string_view wanted) {
        return std::find_if(table.begin(), table.end(),
                            [&](const option &row) { return row.has_name(wanted); });
    };
    auto row = find(name);
    if (row == table.end() && dashes == 1 && name.size() > 1 &&
        name.find_first_not_of("0123456789", 1) == std::string_view::npos) {
        // -n4
        attached_value_ = name.substr(1);
        name = name.substr(0, 1);
        row = find(name);
    }
    if (row == table.end()) {
        unknown(word.substr(0, word.find('=')));
    }
    shown_ = std::string(static_cast<std::size_t>(dashes), '-') + std::string{name};
    found_ = &*row;
    if (attached_value_ && row->value_count() == 0) {
        give_up(exit_usage, shown_, " takes no value");
    }
    apply(*row, dashes);
}

std::string_view parser::next_value() {
    if (attached_value_) {
        return *std::exchange(attached_value_, std::nullopt);
    }
    if (at_end() || words_[at_] == ":") {
        give_up(exit_usage, shown_, " needs a value: ", shown_, " ", found_->values);
    }
    return words_[at_++];
}

void parser::add_variable(std::vector<variable> &to, bool may_be_pair) {
    auto added = variable_of(shown_, next_value());
    if (!added.value && may_be_pair) {
        added.value = next_value();
    }
    to.push_back(std::move(added));
}

void parser::list_variables(std::vector<variable> &to) {
    for (const auto name : split(next_value(), ',')) {
        if (!name.empty()) {
            to.push_back({std::string{name}, std::nullopt});
        }
    }
}

/// On modelled tiles the ranks are fibers of one worker thread.
void parser::use_fabric(std::string_view chosen) {
    program_.environment.push_back({"LISLE_FABRIC", std::string(chosen)});
    int width = 0;
    int height = 0;
    if (std::sscanf(std::string(chosen).c_str(), "tile:%dx%d", &width, &height) != 2) {
        return; // the library names what there is
    }
    program_.environment.push_back({"LISLE_TRACKS", "1"});
    program_.kind = rank_kind::fiber;
    program_.workers = 1;
    if (!program_.ranks && width > 0 && height > 0) {
        program_.ranks = width * height;
    }
}

void parser::apply(const option &found, int dashes) {
    switch (found.what) {
    case meaning::ranks:
        program_.ranks = positive_number(shown_, next_value());
        break;
    case meaning::ranks_on_node:
        program_.ranks_on_node = positive_number(shown_, next_value());
        break;
    case meaning::kind:
        program_.kind = rank_kind_of(shown_, next_value());
        break;
    case meaning::processes:
        program_.processes = positive_number(shown_, next_value());
        break;
    case meaning::ranks_per_process:
        program_.ranks_per_process = positive_number(shown_, next_value());
        break;
    case meaning::workers:
        program_.workers = positive_number(shown_, next_value());
        break;
    case meaning::set_variable:
        add_variable(program_.environment, false);
        break;
    case meaning::set_variable_by_dashes:
        add_variable(program_.environment, dashes == 1);
        break;
    case meaning::set_for_all:
        add_variable(job_.environment, true);
        break;
    case meaning::list_variables:
        program_.inherits = inherited_environment::none;
        list_variables(program_.environment);
        break;
    case meaning::list_for_all:
        job_.inherits = inherited_environment::none;
        list_variables(job_.environment);
        break;
    case meaning::inherit_all:
        program_.inherits = inherited_environment::all;
        break;
    case meaning::inherit_none:
        program_.inherits = inherited_environment::none;
        break;
    case meaning::inherit_all_for_all:
        job_.inherits = inherited_environment::all;
        break;
    case meaning::inherit_none_for_all:
        job_.inherits = inherited_environment::none;
        break;
    case meaning::directory:
        program_.directory = next_value();
        break;
    case meaning::bind:
        job_.bind = binding_of(next_value(), job_.notices);
        break;
    case meaning::bind_to_core:
        job_.bind = binding::core;
        break;
    case meaning::label:
        job_.label = true;
        break;
    case meaning::timeout:
        job_.timeout = seconds_of(shown_, next_value());
        break;
    case meaning::oversubscribe:
        job_.oversubscribe = true;
        break;
    case meaning::quiet:
        job_.quiet = true;
        break;
    case meaning::verbose:
        job_.verbose = true;
        break;
    case meaning::debug:
        job_.debug = true;
        job_.environment.push_back({"LISLE_GDB", "1"});
        break;
    case meaning::private_libraries:
        program_.environment.push_back({"LISLE_PRIVATE_LIBRARIES", std::string(next_value())});
        break;
    case meaning::shared_libraries:
        program_.environment.push_back({"LISLE_SHARED_LIBRARIES", std::string(next_value())});
        break;
    case meaning::fabric:
        use_fabric(next_value());
        break;
    case meaning::tile_map:
        program_.environment.push_back({"LISLE_TILE_MAP", std::string(next_value())});
        break;
    case meaning::tile_mesh:
        program_.environment.push_back({"LISLE_TILE_MACHINE", std::string(next_value())});
        break;
    case meaning::tile_trace:
        program_.environment.push_back({"LISLE_TILE_TRACE", std::string(next_value())});
        break;
    case meaning::help:
        job_.what = job_request::action::help;
        break;
    case meaning::version:
        job_.what = job_request::action::version;
        break;
    case meaning::hosts:
        check_hosts(shown_, next_value());
        break;
    case meaning::standard_input:
        if (const auto who = next_value(); who == "none") {
            job_.input = false;
        } else if (who != "0") {
            give_up(exit_usage, shown_, " ", who,
                    ": only rank 0 can read the launcher's input ('0' or 'none')");
        }
        break;
    case meaning::ignored:
    case meaning::without_effect:
        for (int i = found.value_count(); i > 0; --i) {
            next_value();
        }
        if (found.what == meaning::ignored) {
            job_.remarks.push_back(sentence(shown_, " changes nothing on one machine"));
        } else {
            job_.notices.push_back(sentence(shown_, " is accepted but has no effect"));
        }
        break;
    case meaning::refused:
        give_up(exit_usage, shown_, " is not supported: ", found.help);
    }
}

void parser::unknown(std::string_view word) const {
    std::vector<std::string_view> names;
    for (const auto &row : option_table()) {
        for (const auto name : split(row.names, '|')) {
            names.push_back(name);
        }
    }
    const auto bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const auto guess = nearest(bare, names);
    if (guess.empty()) {
        give_up(exit_usage, "there is no option ", word, "; --help lists them");
    }
    give_up(exit_usage, "there is no option ", word, "; did you mean ", dashed(guess),
            "? (--help lists them)");
}

} // namespace

rank_kind rank_kind_of(std::string_view shown, std::string_view text) {
    if (text == "process" || text == "processes") {
        return rank_kind::process;
    }
    if (text == "thread" || text == "threads") {
        return rank_kind::thread;
    }
    if (text == "fiber" || text == "fibers") {
        return rank_kind::fiber;
    }
    give_up(exit_usage, shown, " is 'process', 'thread' or 'fiber', not '", text, "'");
}

std::chrono::milliseconds seconds_of(std::string_view shown, std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    constexpr double longest = 1e9;
    if (error != std::errc{} || end != text.data() + text.size() || !(number > 0) || number > longest) {
        give_up(exit_usage, shown, " needs a number of seconds above 0, not '", text, "'");
    }
    return std::chrono::milliseconds{std::max<long long>(1, static_cast<long long>(number * 1000))};
}

job_request parse(std::span<const std::string_view> arguments) {
    return parser{arguments}.run();
}

} // namespace lisle::launch
