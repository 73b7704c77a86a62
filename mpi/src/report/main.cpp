// SPDX-License-Identifier: Apache-2.0
// lisle-report FOLDER TITLE [--lines] [--page FILE] [--trace FILE] [--remark TEXT] [--program RANK:NAME]...:
// makes a page of what the ranks of a job have recorded in a folder, prints the same in ten lines, and writes
// all calls as trace events, or in Paje's format if FILE ends with .paje. lislerun --report, --stats and
// --trace call it. From a rank on the program has this name.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "report/analysis/analyse.hpp"
#include "report/page/event_trace.hpp"
#include "report/page/page.hpp"
#include "report/page/paje_trace.hpp"
#include "report/page/summary.hpp"

namespace {

using namespace lisle::report;

struct wanted {
    std::string folder, title, page, trace, remark;
    std::map<int, std::string> programs;
    bool lines = false;
};

bool read(std::span<char *> words, wanted &into) {
    if (words.size() < 2) {
        return false;
    }
    into.folder = words[0];
    into.title = words[1];
    for (std::size_t at = 2; at != words.size(); ++at) {
        const std::string_view word = words[at];
        if (word == "--lines") {
            into.lines = true;
        } else if ((word == "--page" || word == "--trace") && at + 1 != words.size()) {
            (word == "--page" ? into.page : into.trace) = words[++at];
        } else if (word == "--remark" && at + 1 != words.size()) {
            into.remark = words[++at];
        } else if (word == "--program" && at + 1 != words.size()) {
            const std::string_view told = words[++at];
            const auto colon = told.find(':');
            int first = 0;
            std::from_chars(told.data(), told.data() + std::min(colon, told.size()), first);
            into.programs[first] = colon == std::string_view::npos ? told : told.substr(colon + 1);
        } else {
            return false;
        }
    }
    return true;
}

int cannot_write(const char *option, const std::string &file) {
    std::fprintf(stderr, "lislerun: %s: cannot write %s\n", option, file.c_str());
    return 1;
}

int make(const wanted &asked) {
    std::ofstream events;
    std::unique_ptr<trace_writer> trace;
    if (!asked.trace.empty()) {
        events.open(asked.trace, std::ios::binary);
        if (asked.trace.ends_with(".paje")) {
            trace = std::make_unique<paje_trace>(events);
        } else {
            trace = std::make_unique<event_trace>(events);
        }
    }
    run told = analyse(asked.folder, trace.get());
    told.programs = asked.programs;
    if (!asked.remark.empty()) {
        told.remarks.push_back(asked.remark);
    }
    if (trace != nullptr && !trace->finish()) {
        return cannot_write("--trace", asked.trace);
    }
    if (asked.lines) {
        std::fputs(lines_of(told).c_str(), stderr);
    }
    if (!asked.page.empty()) {
        std::ofstream page{asked.page, std::ios::binary};
        page << page_of(told, asked.title) << std::flush;
        if (!page) {
            return cannot_write("--report", asked.page);
        }
    }
    return 0;
}

} // namespace

int main(int count, char **arguments) {
    wanted asked;
    if (!read({arguments + 1, static_cast<std::size_t>(count - 1)}, asked)) {
        std::fprintf(
            stderr, "usage: lisle-report FOLDER TITLE [--lines] [--page FILE] [--trace FILE] [--remark TEXT] "
                    "[--program RANK:NAME]...\n");
        return 2;
    }
    try {
        return make(asked);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lislerun: --report: %s\n", error.what());
        return 1;
    }
}
