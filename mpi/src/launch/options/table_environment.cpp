// SPDX-License-Identifier: Apache-2.0
// Options about what the ranks find: variables, directory, input, error handler.
#include <algorithm>
#include <array>

#include "base/settings.hpp"
#include "base/text.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/option.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

namespace {

void add_variable(option_use &use, std::vector<variable> &to, bool may_be_pair) {
    auto added = variable_of(use.shown, use.value());
    if (!added.value && may_be_pair) {
        added.value = use.value();
    }
    to.push_back(std::move(added));
}

void list_variables(option_use &use, std::vector<variable> &to) {
    for (const auto name : split(use.value(), ',')) {
        if (!name.empty()) {
            to.push_back({std::string{name}, std::nullopt});
        }
    }
}

void choose_input(option_use &use) {
    const auto who = use.value();
    if (who == "all") {
        use.job.input = {std::nullopt, true};
    } else if (who == "none") {
        use.job.input = {std::nullopt, false};
    } else if (who == "0") {
        use.job.input = {};
    } else {
        use.job.input = {positive_number(use.shown, who), false};
    }
}

void choose_error_handler(option_use &use) {
    constexpr std::array<std::string_view, 3> known{"mpi_errors_are_fatal", "mpi_errors_abort",
                                                    "mpi_errors_return"};
    const auto name = use.value();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        give_up(exit_usage, use.shown, " is ", known[0], ", ", known[1], " or ", known[2], ", not '", name,
                "'");
    }
    use.job.environment.variables.push_back({variable_of(setting::initial_errhandler), std::string{name}});
}

constexpr option environment_table[] = {
    {"x", "VAR[=value]", [](option_use &use) { add_variable(use, use.program.environment.variables, false); },
     "set VAR for this program, or hand it down as it is"},
    {"env", "VAR[=value]",
     [](option_use &use) { add_variable(use, use.program.environment.variables, use.dashes == 1); },
     "the same; also as -env VAR value"},
    {"genv", "VAR value", [](option_use &use) { add_variable(use, use.job.environment.variables, true); },
     "set VAR for all programs of the job; also as VAR=value"},
    {"genvlist", "A,B,...",
     [](option_use &use) {
         use.job.environment.inherits = inherited_environment::none;
         list_variables(use, use.job.environment.variables);
     },
     "hand down these variables only"},
    {"envlist", "A,B,...",
     [](option_use &use) {
         use.program.environment.inherits = inherited_environment::none;
         list_variables(use, use.program.environment.variables);
     },
     "the same, for this program only"},
    {"genvnone", "", [](option_use &use) { use.job.environment.inherits = inherited_environment::none; },
     "hand down no variables"},
    {"genvall", "", [](option_use &use) { use.job.environment.inherits = inherited_environment::all; },
     "hand down all variables (the default)"},
    {"envnone", "", [](option_use &use) { use.program.environment.inherits = inherited_environment::none; },
     ""},
    {"envall", "", [](option_use &use) { use.program.environment.inherits = inherited_environment::all; },
     ""},
    {"wdir|wd", "DIR", [](option_use &use) { use.program.directory = use.value(); },
     "start the program in directory DIR"},
    {"path", "LIST", [](option_use &use) { use.program.search_path = use.value(); },
     "look for the program in these directories (with ':' between) before those of PATH"},
    {"stdin", "WHO", choose_input,
     "who reads the launcher's input: the rank of this number (without it: 0), 'all' (each gets a copy) or "
     "'none'"},
    {"initial-errhandler", "NAME", choose_error_handler,
     "the error handler that communicators have at first: mpi_errors_are_fatal (without it), "
     "mpi_errors_abort or mpi_errors_return"},
    {"index-argv-by-rank", "", [](option_use &use) { use.job.numbered_names = true; },
     "give the program the name program-N as rank N (process ranks)"},
};

} // namespace

std::span<const option> environment_options() {
    return environment_table;
}

} // namespace lisle::launch
