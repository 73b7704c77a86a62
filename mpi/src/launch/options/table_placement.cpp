// SPDX-License-Identifier: Apache-2.0
// Options about where ranks run: how many on each part of the machine, and on which processors.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/option.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

namespace {

/// The unit of the machine that other launchers' word means, or nothing.
std::string unit_named(std::string_view word) {
    if (word == "node" || word == "board" || word == "machine") {
        return "machine";
    }
    if (word == "socket") {
        return "package";
    }
    if (word == "slot") {
        return "core";
    }
    return is_unit(word) ? std::string{word} : std::string{};
}

/// N:UNIT with modifiers of Open MPI behind it.
ranks_per_unit per_unit(option_use &use, std::string_view text) {
    const auto parts = split(text, ':');
    const auto unit = parts.size() > 1 ? unit_named(parts[1]) : std::string{};
    if (unit.empty()) {
        give_up(exit_usage, use.shown,
                " needs ranks and a unit, as ppr:2:node, with node, package, numa, "
                "l3cache, l2cache, l1cache, core or hwthread, not '",
                text, "'");
    }
    return {positive_number(use.shown, parts[0]), unit};
}

void choose_processors(option_use &use) {
    const auto list = use.value();
    if (!cpu_set::is_list(list)) {
        give_up(exit_usage, use.shown, " needs a list of processors as 0-3,8, not '", list, "'");
    }
    use.job.placement.processors = list;
}

void map(option_use &use) {
    const auto text = use.value();
    const auto modifiers = split(text, ':');
    if (modifiers[0] == "ppr") {
        use.program.per_unit = per_unit(use, text.substr(std::min<std::size_t>(4, text.size())));
    }
    for (const auto modifier : modifiers) {
        constexpr std::string_view list = "pe-list=";
        if (modifier.starts_with(list) || modifier.starts_with("PE-LIST=")) {
            use.job.placement.processors = modifier.substr(list.size());
        } else if (modifier.starts_with("PE=") || modifier.starts_with("pe=")) {
            use.job.messages.notices.push_back(
                sentence(use.shown, " ", text, ": ", modifier,
                         " has no effect: a rank is bound to one unit (--bind-to)"));
        } else if (modifier == "oversubscribe" || modifier == "OVERSUBSCRIBE") {
            use.job.placement.oversubscribe = true;
        }
    }
    if (modifiers[0] != "ppr") {
        use.job.messages.remarks.push_back(sentence(
            use.shown, " ", text, " changes nothing: ranks are numbered in one order on one machine"));
    }
}

void bind(option_use &use) {
    const auto text = use.value();
    // Open MPI allows modifiers behind a colon (core:overload-allowed), MPICH lists (user:0,2).
    const auto word = text.substr(0, text.find(':'));
    const auto rest = text.substr(std::min(word.size() + 1, text.size()));
    const auto unit = unit_named(word);
    constexpr std::array<std::string_view, 2> vague{"rr", "map"};
    if (word == "none" || unit == "machine") {
        use.job.placement.binding.clear();
    } else if (word == "user" && cpu_set::is_list(rest)) {
        use.job.placement.binding = rest;
    } else if (word == "cpu-list") {
        use.job.placement.binding = "cpu-list"; // those of --cpu-set, which may follow
    } else if (!unit.empty()) {
        use.job.placement.binding = unit;
    } else if (std::find(vague.begin(), vague.end(), word) != vague.end()) {
        use.job.placement.binding = "core";
    } else {
        give_up(exit_usage, use.shown,
                " knows none, hwthread, core, l1cache, l2cache, l3cache, numa, package and user:LIST, not '",
                text, "'");
    }
}

void per_node(option_use &use) {
    use.program.per_unit = {use.number(), "machine"};
}

constexpr option placement_table[] = {
    {"bind-to", "UNIT", bind,
     "give each rank in turn a core, hwthread, l1cache, l2cache, l3cache, numa or package (socket) of its "
     "own, or with user:0,2 these processors; none: leave the placement to the system (the default)"},
    {"bind-to-core", "", [](option_use &use) { use.job.placement.binding = "core"; }, ""},
    {"bind-to-socket", "", [](option_use &use) { use.job.placement.binding = "package"; }, ""},
    {"bind-to-none", "", [](option_use &use) { use.job.placement.binding.clear(); }, ""},
    {"cpu-set|cpu-list|pe-list", "LIST", choose_processors,
     "run the ranks on these processors only, as 0-3,8"},
    {"map-by|rank-by", "MAP", map,
     "ppr:2:core starts two ranks on each core (or node, package, numa, l3cache, ..., hwthread) if nothing "
     "else says how many; other maps change nothing on one machine"},
    {"ppr", "N:UNIT",
     [](option_use &use) {
         const auto text = use.value();
         use.program.per_unit = per_unit(use, text);
     },
     ""},
    {"npernode|N|ppn|perhost", "N", per_node, ""},
    {"npersocket", "N",
     [](option_use &use) {
         use.program.per_unit = {use.number(), "package"};
     },
     ""},
    {"pernode", "",
     [](option_use &use) {
         use.program.per_unit = {1, "machine"};
     },
     ""},
    {"oversubscribe", "", [](option_use &use) { use.job.placement.oversubscribe = true; },
     "more ranks than cores are intended: no notice about it"},
    {"report-bindings", "", [](option_use &use) { use.job.display.bindings = true; },
     "say on the error output which processors each rank may use"},
};

} // namespace

std::span<const option> placement_options() {
    return placement_table;
}

} // namespace lisle::launch
