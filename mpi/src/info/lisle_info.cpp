// SPDX-License-Identifier: Apache-2.0
// lisle-info: what this Lisle is, what a job would use on this machine, and what a report of a fault needs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "info/forms.hpp"
#include "library/description/description.h"
#include "mpi.h"

namespace {

using lisle::info::description;
using lisle::info::section;

constexpr std::string_view help =
    R"(Says what this Lisle is and what a job would use on this machine. A report of a fault needs all of it.

  lisle-info [options] [section]...

Sections (all, if none is named):
  build              version, compiler, parts that are installed
  fabrics            what carries messages here, and why others would not
  settings           all settings: the value in force, and where it comes from
  control-variables  the same for tools (MPI_T): what each is for, and which can be changed
  machine            kernel, processors, memory, limits

Options:
  --json             print an object with a list for each section: name, value, remark
  --version          print the version
  --help             print this text

lislerun -n 1 lisle-info tells what a rank finds, as lislerun's own options set variables.
)";

constexpr std::array<std::string_view, 5> sections{"build", "fabrics", "settings", "control-variables",
                                                   "machine"};

section &section_named(description &all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &section::name);
    return found != all.end() ? *found : all.emplace_back(section{std::string{name}, {}});
}

void add_fact(void *to, const char *in, const char *name, const char *value, const char *remark) {
    section_named(*static_cast<description *>(to), in).entries.push_back({name, value, remark});
}

/// Whether a program may change the variable while it runs.
const char *scope_in_words(int scope) {
    return scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY ? "fixed when the process starts"
                                                                          : "can be changed";
}

void add_control_variables(description &all) {
    int level = 0, count = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) {
        return;
    }
    section &own = section_named(all, "control-variables");
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; ++i) {
        char name[256], about[4096];
        int name_length = sizeof name, about_length = sizeof about, verbosity = 0, bind = 0, scope = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum words = MPI_T_ENUM_NULL;
        if (MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &words, about, &about_length, &bind,
                                &scope) == MPI_SUCCESS) {
            own.entries.push_back({name, scope_in_words(scope), about});
        }
    }
    MPI_T_finalize();
}

bool print(const std::string &text) {
    return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
}

int refuse(std::string_view word) {
    std::fprintf(stderr,
                 "lisle-info: '%.*s' is no section and no option; there are build, fabrics, settings, "
                 "control-variables and machine, --json, --version and --help\n",
                 static_cast<int>(word.size()), word.data());
    return 2;
}

std::string version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    return std::string{text, static_cast<std::size_t>(length)} + "\n";
}

} // namespace

int main(int count, char **words) {
    bool json = false;
    std::vector<std::string_view> wanted;
    for (const std::string_view word : std::vector<std::string_view>{words + 1, words + std::max(count, 1)}) {
        if (word == "--help" || word == "-h") {
            return print(std::string{help}) ? 0 : 1;
        }
        if (word == "--version" || word == "-V") {
            return print(version()) ? 0 : 1;
        }
        if (word == "--json") {
            json = true;
        } else if (std::ranges::find(sections, word) != sections.end()) {
            wanted.push_back(word);
        } else {
            return refuse(word);
        }
    }
    description all;
    lisle_describe(add_fact, &all);
    add_control_variables(all);
    std::ranges::stable_sort(all, {},
                             [](const section &one) { return std::ranges::find(sections, one.name); });
    std::erase_if(all, [&](const section &one) {
        return !wanted.empty() && std::ranges::find(wanted, one.name) == wanted.end();
    });
    return print(json ? json_form(all) : text_form(all)) ? 0 : 1;
}
