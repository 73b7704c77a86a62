// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/allocation.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/common/machine.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

namespace {

constexpr const char *slurm_hosts = "SLURM_JOB_NODELIST";
constexpr const char *slurm_tasks = "SLURM_TASKS_PER_NODE";
constexpr std::size_t most_hosts = 1 << 20;

[[noreturn]] void refuse(std::string_view variable, std::string_view text) {
    give_up(exit_usage, variable, "=", text, " is no list of this batch system");
}

int number_in(std::string_view variable, std::string_view whole, std::string_view digits) {
    int number = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || problem != std::errc{} || end != digits.data() + digits.size() || number < 0) {
        refuse(variable, whole);
    }
    return number;
}

/// The entries between commas that stand outside of brackets.
std::vector<std::string_view> entries_of(std::string_view list) {
    std::vector<std::string_view> entries;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i == list.size() || (list[i] == ',' && depth == 0)) {
            entries.push_back(list.substr(begin, i - begin));
            begin = i + 1;
        } else {
            depth += list[i] == '[' ? 1 : list[i] == ']' ? -1 : 0;
        }
    }
    return entries;
}

/// "07" to "12" as they are written: numbers with as many digits as the first.
std::vector<std::string> numbers_between(std::string_view whole, std::string_view first,
                                         std::string_view last) {
    const int begin = number_in(slurm_hosts, whole, first);
    const int end = number_in(slurm_hosts, whole, last);
    if (end < begin || static_cast<std::size_t>(end - begin) >= most_hosts) {
        refuse(slurm_hosts, whole);
    }
    std::vector<std::string> all;
    for (int number = begin; number <= end; ++number) {
        const auto digits = std::to_string(number);
        all.push_back(std::string(first.size() - std::min(first.size(), digits.size()), '0') + digits);
    }
    return all;
}

/// All names that one entry stands for; each pair of brackets multiplies them.
std::vector<std::string> names_of(std::string_view whole, std::string_view entry) {
    const auto open = entry.find('[');
    if (open == std::string_view::npos) {
        return {std::string{entry}};
    }
    const auto close = entry.find(']', open);
    if (close == std::string_view::npos) {
        refuse(slurm_hosts, whole);
    }
    std::vector<std::string> names;
    for (const auto range : split(entry.substr(open + 1, close - open - 1), ',')) {
        const auto dash = range.find('-');
        const auto first = range.substr(0, dash);
        const auto last = dash == std::string_view::npos ? first : range.substr(dash + 1);
        for (const auto &number : numbers_between(whole, first, last)) {
            for (const auto &rest : names_of(whole, entry.substr(close + 1))) {
                names.push_back(sentence(entry.substr(0, open), number, rest));
            }
        }
        if (names.size() > most_hosts) {
            refuse(slurm_hosts, whole);
        }
    }
    return names;
}

void add(std::vector<host_slots> &hosts, std::string_view name, int slots) {
    const auto found = std::ranges::find(hosts, name, &host_slots::name);
    if (found == hosts.end()) {
        hosts.push_back({std::string{name}, slots});
    } else {
        found->slots += slots;
    }
}

std::vector<host_slots> hosts_of_slurm() {
    const auto names = hosts_in_slurm_list(environment_text(slurm_hosts));
    const auto tasks = environment_text(slurm_tasks);
    const auto counts = tasks.empty() ? std::vector<int>(names.size(), 1) : numbers_in_slurm_list(tasks);
    if (counts.size() != names.size()) {
        give_up(exit_usage, slurm_tasks, "=", tasks, " counts ", counts.size(), " hosts, and ", slurm_hosts,
                " names ", names.size());
    }
    std::vector<host_slots> hosts;
    for (std::size_t i = 0; i < names.size(); ++i) {
        add(hosts, names[i], counts[i]);
    }
    return hosts;
}

/// A line for each task.
std::vector<host_slots> hosts_of_pbs(const std::string &path) {
    std::ifstream file{path};
    if (!file) {
        give_up(exit_usage, "PBS_NODEFILE=", path, ": the file cannot be read: ", std::strerror(errno));
    }
    std::vector<host_slots> hosts;
    for (std::string name; file >> name;) {
        add(hosts, name, 1);
    }
    return hosts;
}

/// "a 4 b 2", or "a a a a b b".
std::vector<host_slots> hosts_of_lsf() {
    std::vector<host_slots> hosts;
    const auto counted = environment_text("LSB_MCPU_HOSTS");
    const auto words = words_of(counted.empty() ? environment_text("LSB_HOSTS") : counted, " ");
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (counted.empty()) {
            add(hosts, words[i], 1);
        } else if (i + 1 < words.size()) {
            add(hosts, words[i], number_in("LSB_MCPU_HOSTS", counted, words[i + 1]));
            ++i;
        } else {
            refuse("LSB_MCPU_HOSTS", counted);
        }
    }
    return hosts;
}

} // namespace

std::vector<std::string> hosts_in_slurm_list(std::string_view list) {
    std::vector<std::string> names;
    for (const auto entry : entries_of(list)) {
        const auto more = names_of(list, entry);
        names.insert(names.end(), more.begin(), more.end());
    }
    return names;
}

std::vector<int> numbers_in_slurm_list(std::string_view list) {
    std::vector<int> numbers;
    for (const auto entry : split(list, ',')) {
        const auto times = entry.find("(x");
        const int number = number_in(slurm_tasks, list, entry.substr(0, times));
        int count = 1;
        if (times != std::string_view::npos) {
            if (!entry.ends_with(')')) {
                refuse(slurm_tasks, list);
            }
            count = number_in(slurm_tasks, list, entry.substr(times + 2, entry.size() - times - 3));
        }
        numbers.insert(numbers.end(), static_cast<std::size_t>(std::min<int>(count, most_hosts)), number);
    }
    return numbers;
}

std::vector<host_slots> hosts_of_allocation() {
    if (!environment_text(slurm_hosts).empty()) {
        return hosts_of_slurm();
    }
    if (const auto file = environment_text("PBS_NODEFILE"); !file.empty()) {
        return hosts_of_pbs(std::string{file});
    }
    return hosts_of_lsf();
}

void use_allocation(job_request &request) {
    const auto has_hosts = [](const program_request &program) {
        return !program.hosts.empty() || program.per_unit;
    };
    if (std::ranges::any_of(request.programs, has_hosts)) {
        return;
    }
    const auto hosts = hosts_of_allocation();
    if (std::ranges::any_of(hosts, [](const host_slots &each) { return !is_this_machine(each.name); })) {
        request.programs.front().hosts = hosts;
    }
}

} // namespace lisle::launch
