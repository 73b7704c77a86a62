// SPDX-License-Identifier: Apache-2.0
// Options about what the user sees: the ranks' output, and descriptions of the job.
#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/option.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

namespace {

std::string lower(std::string_view text) {
    std::string result{text};
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return result;
}

[[noreturn]] void refuse_word(const option_use &use, std::string_view word, std::string_view known) {
    give_up(exit_usage, use.shown, " knows ", known, ", not '", word, "'");
}

/// Open MPI 5's collection of words, separated by commas and colons.
void shape_output(option_use &use) {
    auto &output = use.job.output;
    std::string text{use.value()};
    // A file's name may hold what else separates words, so it reaches to the next comma.
    for (const auto part : split(text, ',')) {
        const auto equals = part.find('=');
        const auto word = lower(part.substr(0, equals));
        const std::string value{equals == std::string_view::npos ? std::string_view{}
                                                                 : part.substr(equals + 1)};
        const bool whole = equals == std::string_view::npos || !value.empty();
        if (word == "tag" || word == "rank" || word == "tag-detailed" || word == "tag-fullname") {
            output.label = true;
        } else if (word == "timestamp") {
            output.timestamps = true;
        } else if (word == "merge" || word == "merge-stderr-to-stdout") {
            output.merge = true;
        } else if ((word == "directory" || word == "dir") && equals != std::string_view::npos && whole) {
            output.directory = value;
        } else if ((word == "file" || word == "filename") && equals != std::string_view::npos && whole) {
            output.file = value;
        } else if (word == "pattern" && equals != std::string_view::npos && whole) {
            output.output_pattern = value;
        } else if (word == "nocopy") {
            output.copy = false;
        } else if (word == "copy" || word == "raw") {
            // as without
        } else {
            refuse_word(use, part,
                        "tag, timestamp, merge, directory=DIR, file=NAME, nocopy and raw, with ',' between");
        }
    }
    for (auto *name : {&output.directory, &output.file}) {
        if (name->ends_with(":nocopy")) { // Open MPI's way to write it
            name->resize(name->size() - std::string_view{":nocopy"}.size());
            output.copy = false;
        }
    }
}

void write_to_directory(option_use &use) {
    auto &output = use.job.output;
    output.directory = use.value();
    if (constexpr std::string_view modifier = ":nocopy"; output.directory.ends_with(modifier)) {
        output.directory.resize(output.directory.size() - modifier.size());
        output.copy = false;
    }
}

void display(option_use &use) {
    for (const auto part : split(use.value(), ',')) {
        const auto word = lower(part.substr(0, part.find(':')));
        if (word.starts_with("map")) {
            use.job.display.map = true;
        } else if (word == "bind" || word == "bindings") {
            use.job.display.bindings = true;
        } else if (word == "allocation" || word == "alloc" || word == "topo" || word.starts_with("topo=") ||
                   word == "cpus" || word.starts_with("cpus=")) {
            use.job.display.allocation = true;
        } else {
            refuse_word(use, part, "map, bind, allocation, topo and cpus, with ',' between");
        }
    }
}

constexpr option output_table[] = {
    {"l|label|tag-output|prepend-rank", "", [](option_use &use) { use.job.output.label = true; },
     "begin each line of output with its rank: '[2] ...'"},
    {"prepend-pattern", "TEXT", [](option_use &use) { use.job.output.label_pattern = use.value(); },
     "begin each line with TEXT instead, in which %r is the rank and %h the host"},
    {"timestamp-output", "", [](option_use &use) { use.job.output.timestamps = true; },
     "begin each line with the time, as 2026-11-23 09:30:00.123"},
    {"merge-stderr-to-stdout", "", [](option_use &use) { use.job.output.merge = true; },
     "send the error output where the output goes"},
    {"output-filename", "DIR", write_to_directory,
     "copy the output of rank N to DIR/1/rank.N/stdout and stderr; DIR:nocopy writes it there only"},
    {"outfile-pattern|outfile", "FILE", [](option_use &use) { use.job.output.output_pattern = use.value(); },
     "write the output to files of this name, in which %r is the rank and %h the host"},
    {"errfile-pattern|errfile", "FILE", [](option_use &use) { use.job.output.errors_pattern = use.value(); },
     "the same for the error output"},
    {"output", "WORDS", shape_output,
     "tag, timestamp, merge, directory=DIR, file=NAME (for rank N NAME.N.out and NAME.N.err), nocopy, with "
     "',' between"},
    {"display-map|display-devel-map|display-diffable-map", "",
     [](option_use &use) { use.job.display.map = true; },
     "print which ranks run in which process before the job starts"},
    {"display-allocation|display-devel-allocation|display-topo", "",
     [](option_use &use) { use.job.display.allocation = true; },
     "print which processors and how much memory there are"},
    {"display", "WORDS", display, "map, bind, allocation, with ',' between: the same"},
    {"report", "FILE", [](option_use &use) { use.job.report.page = use.value(); },
     "record the ranks' calls, and write a page to FILE that shows where the time goes and who waits for "
     "whom"},
    {"stats", "", [](option_use &use) { use.job.report.lines = true; },
     "record the ranks' calls, and say on the error output in ten lines where the time goes"},
    {"print-rank-map", "", [](option_use &use) { use.job.display.rank_map = true; }, ""},
    {"print-all-exitcodes", "", [](option_use &use) { use.job.display.exit_codes = true; },
     "say on the error output how each rank ended"},
    {"do-not-launch", "", [](option_use &use) { use.job.control.launch = false; },
     "start nothing: print what was asked for and check that the job could start"},
};

} // namespace

std::span<const option> output_options() {
    return output_table;
}

} // namespace lisle::launch
