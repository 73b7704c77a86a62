// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/process_environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "dynamic/start.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/plan/preloaded.hpp"
#include "world/job_table.hpp"
#include "world/managed_bootstrap.hpp"

namespace lisle::launch {

namespace {

constexpr std::array<std::string_view, 12> own_variables{
    job_descriptor_variable, process_index_variable,  rank_variable,
    size_variable,           label_variable,          bind_variable,
    input_variable,          rank_preload_variable,   ranks_here_variable,
    workers_here_variable,   program_number_variable, dynamic::launcher_alive_variable};

std::string_view name_of(std::string_view setting) {
    return setting.substr(0, setting.find('='));
}

class builder {
  public:
    void set(std::string_view name, std::string_view value) {
        auto setting = std::string{name} + "=" + std::string{value};
        const auto old = std::find_if(settings_.begin(), settings_.end(),
                                      [&](const std::string &other) { return name_of(other) == name; });
        if (old != settings_.end()) {
            *old = std::move(setting);
        } else {
            settings_.push_back(std::move(setting));
        }
    }
    void set(const variable &wanted, char *const *inherited) {
        if (wanted.value) {
            set(wanted.name, *wanted.value);
            return;
        }
        for (auto setting = inherited; *setting != nullptr; ++setting) {
            const std::string_view text = *setting;
            if (name_of(text) == wanted.name && text.size() > wanted.name.size()) {
                set(wanted.name, text.substr(wanted.name.size() + 1));
            }
        }
    }
    [[nodiscard]] std::string value_of(std::string_view name) const {
        const auto found =
            std::ranges::find_if(settings_, [name](const auto &each) { return name_of(each) == name; });
        return found == settings_.end() ? std::string{} : found->substr(name.size() + 1);
    }
    void set_by_default(std::string_view name, std::string_view value) {
        if (std::ranges::none_of(settings_, [name](const auto &each) { return name_of(each) == name; })) {
            set(name, value);
        }
    }
    // Without a search for each: the variables of one environment differ already.
    void inherit(char *const *inherited) {
        for (auto setting = inherited; *setting != nullptr; ++setting) {
            if (!set_by_launcher_alone(name_of(*setting))) {
                settings_.emplace_back(*setting);
            }
        }
    }
    std::vector<std::string> take() { return std::move(settings_); }

  private:
    std::vector<std::string> settings_;
};

/// libgfortran's own: with y, units 0 and 6 pass on each record when it is complete
/// (world/printed_output.hpp).
constexpr const char *fortran_by_lines = "GFORTRAN_UNBUFFERED_PRECONNECTED";

/// What the process inherits, and what the command line sets.
builder wanted_by(const job_request &request, const program_request &program, char *const *inherited) {
    builder result;
    if (request.environment.inherits == inherited_environment::all &&
        program.environment.inherits == inherited_environment::all) {
        result.inherit(inherited);
    }
    for (const auto &wanted : request.environment.variables) {
        result.set(wanted, inherited);
    }
    for (const auto &wanted : program.environment.variables) {
        result.set(wanted, inherited);
    }
    result.set_by_default(fortran_by_lines, "y");
    return result;
}

/// Libraries of which each rank is to have a copy must not be loaded for the process: the host loads them.
void hand_over_preloaded(builder &variables) {
    const auto divided = divide_preloaded(
        variables.value_of("LD_PRELOAD"), variables.value_of(private_libraries_variable),
        variables.value_of(shared_libraries_variable), variables.value_of("LD_LIBRARY_PATH"));
    if (!divided.of_ranks.empty()) {
        variables.set("LD_PRELOAD", divided.of_process);
        variables.set(rank_preload_variable, divided.of_ranks);
    }
}

/// What the host of thread and fiber ranks reads.
void instruct_host(builder &variables, const job_request &request) {
    if (request.output.any()) { // labelled lines are how the launcher tells the ranks' lines apart
        variables.set(label_variable, "1");
    }
    if (!request.placement.binding.empty()) {
        variables.set(bind_variable, request.placement.binding);
    }
    if (const auto reader = request.input.rank.value_or(0); reader != 0) {
        variables.set(input_variable, std::to_string(reader));
    }
    hand_over_preloaded(variables);
}

} // namespace

bool set_by_launcher_alone(std::string_view name) {
    return std::find(own_variables.begin(), own_variables.end(), name) != own_variables.end();
}

std::vector<std::string> environment_of(const process_plan &process, std::size_t index,
                                        const job_request &request, int ranks_in_job, int segment_descriptor,
                                        char *const *inherited) {
    auto result = wanted_by(request, request.programs[process.program], inherited);
    result.set(job_descriptor_variable, std::to_string(segment_descriptor));
    result.set(process_index_variable, std::to_string(index));
    result.set(size_variable, std::to_string(ranks_in_job));
    result.set(program_number_variable, std::to_string(process.program));
    result.set_by_default(universe_variable,
                          std::to_string(std::max(ranks_in_job, cpu_set::allowed().count())));
    if (process.hosted) {
        instruct_host(result, request);
    } else {
        result.set(rank_variable, std::to_string(process.first_rank));
    }
    return result.take();
}

std::vector<std::string> environment_of_task(const process_plan &process, const job_request &request,
                                             char *const *inherited) {
    auto result = wanted_by(request, request.programs[process.program], inherited);
    result.set(ranks_here_variable, std::to_string(process.ranks));
    result.set(workers_here_variable, std::to_string(process.workers));
    result.set(program_number_variable, std::to_string(process.program));
    instruct_host(result, request);
    return result.take();
}

} // namespace lisle::launch
