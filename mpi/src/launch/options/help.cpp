// SPDX-License-Identifier: Apache-2.0
// The texts of --help, made from the tables of options.
#include <algorithm>
#include <array>

#include "base/settings.hpp"
#include "base/settings_page.hpp"
#include "base/text.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/command_line.hpp"
#include "launch/options/option.hpp"

#ifndef LISLE_VERSION
#error "the build must define LISLE_VERSION"
#endif

namespace lisle::launch {

namespace {

constexpr std::string_view opening =
    R"(Runs an MPI program as a job of several ranks, each a process, a thread or a fiber, on this machine.

  lislerun [options] program [arguments] [: [options] program [arguments]]...

Examples:
  lislerun -n 4 ./hello                     four processes
  lislerun -n 4 --ranks thread ./hello      four threads of one process, each with its own globals
  lislerun -n 1000 --ranks fiber ./hello    a thousand ranks on as many threads as there are cores
  lislerun -P 2 -T 4 ./hello                eight ranks: two processes with four threads each
  lislerun -n 4 --label ./hello             each line of output begins with its rank: [2] Hello
  lislerun -n 1 ./server : -n 3 ./client    one job of two programs
  lislerun -n 2 gdb ./hello                 whatever starts the program may stand in front of it

The options that are used most (a word may have one dash or two; --option=value works too):
)";

/// Those of the first page.
constexpr std::array<std::string_view, 12> most_used{"n",       "ranks", "P",       "T", "host",    "x",
                                                     "bind-to", "label", "timeout", "q", "version", "help"};

constexpr std::string_view closing = R"(
The exit code is that of the first rank that failed, 128 + N if signal N ended it, MPI_Abort's
code, 124 after --timeout, 126 or 127 if the program cannot be started, 2 for a wrong command
line, else 0.
)";

std::string spelled(const option &row) {
    std::string text;
    for (const auto name : split(row.names, '|')) {
        text += (text.empty() ? "" : ", ") + dashed(name);
    }
    const bool attached = row.values.starts_with('['); // a value that may be left out
    return row.values.empty() ? text : text + (attached ? "" : " ") + std::string{row.values};
}

constexpr std::size_t width = 100;

void append_row(std::string &text, const option &row) {
    constexpr std::size_t indent = 30;
    const auto left = "  " + spelled(row);
    text += left;
    const bool fits = left.size() + 1 < indent;
    text += fits ? "" : "\n";
    append_wrapped(text, row.help, indent, width, fits ? left.size() : 0);
}

/// The options of a subject, and behind them the names of those that change nothing here.
std::string page_of(const option_table &table) {
    std::string text = sentence(table.topic, ": ", table.about, "\n");
    std::string accepted;
    for (const auto &row : table.rows) {
        if (row.listed == listing::accepted) {
            accepted += (accepted.empty() ? "" : ", ") + spelled(row);
        } else if (row.listed == listing::described && !row.help.empty()) {
            append_row(text, row);
        }
    }
    if (!accepted.empty()) {
        text += "  Accepted from other launchers' command lines, without effect here:\n";
        append_wrapped(text, accepted, 2, width, 0);
    }
    return text;
}

std::string all_pages() {
    std::string text{opening.substr(0, opening.find("The options"))};
    for (const auto &table : option_tables()) {
        text += page_of(table) + "\n";
    }
    return text + std::string{closing.substr(1)};
}

std::string first_page() {
    std::string text{opening};
    for (const auto name : most_used) {
        append_row(text, *find_option(name));
    }
    text += "\nMore, by topic (--help TOPIC; --help OPTION tells of one option):\n";
    for (const auto &table : option_tables()) {
        text += sentence("  ", table.topic, std::string(14 - table.topic.size(), ' '), table.about, "\n");
    }
    text += "  settings      environment variables of Lisle\n  all           all options\n";
    return text + std::string{closing};
}

/// All options and settings for programs, such as those that write manual pages: topic, names, values and
/// meaning, with tabs between.
std::string table_text() {
    std::string text;
    for (const auto &table : option_tables()) {
        for (const auto &row : table.rows) {
            if (row.listed != listing::hidden) {
                text += sentence(table.topic, "\t", row.names, "\t", row.values, "\t", row.help, "\n");
            }
        }
    }
    for (const setting_description &each : all_settings()) {
        text += sentence("settings\t", each.name, "\t", each.values(), "\t", each.meaning, "\n");
    }
    return text;
}

} // namespace

std::string help_text(std::string_view topic) {
    if (topic.empty()) {
        return first_page();
    }
    if (topic == "settings") {
        return settings_text();
    }
    if (topic == "all") {
        return all_pages();
    }
    if (topic == "table") {
        return table_text();
    }
    for (const auto &table : option_tables()) {
        if (table.topic == topic) {
            return page_of(table);
        }
    }
    const auto name = topic.substr(std::min(topic.find_first_not_of('-'), topic.size()));
    if (const auto *const row = find_option(name); row != nullptr && !row->help.empty()) {
        std::string text;
        append_row(text, *row);
        return text;
    }
    give_up(exit_usage, "there is no help on ", topic,
            ": --help lists the topics; names of options are some, too");
}

std::string version_text() {
    return "lislerun (Lisle) " LISLE_VERSION ", MPI 5.0\n";
}

} // namespace lisle::launch
