// SPDX-License-Identifier: Apache-2.0
#include "base/settings_page.hpp"

#include <array>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"

namespace lisle {

namespace {

struct section {
    audience of;
    std::string_view title;
};
constexpr std::array<section, 4> sections{{
    {audience::users, "For every user"},
    {audience::experts, "For tuning, and for looking at faults"},
    {audience::launching, "For starting jobs"},
    {audience::tiles, "For simulated tile processors (lislerun --fabric tile:WxH)"},
}};

std::string default_of(const setting_description &row, setting which) {
    return is_text(which) ? "not set" : row.text_of(row.default_value);
}

/// Calls `row(description, setting)` for each setting of a section, algorithms apart.
template <class Row> void each_of(audience whose, Row row) {
    for (std::size_t i = 0; i != static_cast<std::size_t>(setting::first_algorithm); ++i) {
        if (const setting_description &about = all_settings()[i]; about.read_by == whose) {
            row(about, static_cast<setting>(i));
        }
    }
}

std::string in_cell(std::string text) { // of a Markdown table
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
        text.insert(at, "\\");
    }
    return text;
}

/// Values with room around the bars, where lines may break.
std::string spaced(std::string values) {
    for (std::size_t at = 0; (at = values.find('|', at)) != std::string::npos; at += 3) {
        values.replace(at, 1, " | ");
    }
    return values;
}

/// Calls `row(operation, its algorithms)` for each collective.
template <class Row> void each_collective(Row row) {
    for (const collective_operation_description &each : collective_operations) {
        row(each.name, description_of(algorithm_of(each.which)).values());
    }
}

void append_others(std::string &page, std::string_view title, std::span<const other_variable> all) {
    page += sentence("\n## ", title, "\n\n| variable | meaning |\n|---|---|\n");
    for (const other_variable &each : all) {
        if (!each.meaning.empty()) {
            page += sentence("| `", each.name, "` | ", each.meaning, " |\n");
        }
    }
}

} // namespace

std::string settings_text() {
    constexpr std::size_t indent = 6, width = 100;
    std::string text =
        "Settings are environment variables. -x NAME=VALUE of lislerun sets one for the ranks.\n";
    for (const section &one : sections) {
        text += sentence("\n", one.title, ":\n");
        each_of(one.of, [&text](const setting_description &row, setting which) {
            text += sentence("  ", row.name, "=", row.values(), " (", default_of(row, which), ")\n");
            append_wrapped(text, row.meaning, indent, width);
        });
    }
    text += "\nAlgorithms that LISLE_COLLECTIVES can ask for:\n";
    each_collective([&text](std::string_view name, const std::string &algorithms) {
        text += sentence("  ", name, "=\n");
        append_wrapped(text, spaced(algorithms), indent, width);
    });
    return text;
}

std::string settings_page() {
    std::string page = R"(# Settings

Settings are environment variables. Each process reads them once, when it first needs one. A value that is none is
reported on standard error, and the default is used; a variable `LISLE_*` that nothing reads gets a line with the nearest
name. `lislerun -x NAME=VALUE` sets one for the ranks, `lislerun --help settings` prints this table, and `MPI_T_cvar_*` finds
each setting under its name.

<!-- written by the target settings_page from mpi/src/base/settings_table.cpp -->
)";
    for (const section &one : sections) {
        page += sentence("\n## ", one.title,
                         "\n\n| variable | values | default | meaning |\n|---|---|---|---|\n");
        each_of(one.of, [&page](const setting_description &row, setting which) {
            page += sentence("| `", row.name, "` | ", in_cell(row.values()), " | ", default_of(row, which),
                             " | ", in_cell(row.meaning), " |\n");
        });
    }
    page += "\n## Algorithms that LISLE_COLLECTIVES can ask for\n\n| operation | algorithms |\n|---|---|\n";
    each_collective([&page](std::string_view name, const std::string &algorithms) {
        page += sentence("| `", name, "` | ", in_cell(algorithms), " |\n");
    });
    append_others(page, "Read by mpicc, mpicxx and mpifort", compiler_variables());
    append_others(page, "In the environment of ranks", rank_variables());
    return page;
}

} // namespace lisle
