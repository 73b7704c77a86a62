// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/process_environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/settings.hpp"
#include "base/text.hpp"
#include "dynamic/start.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/common/rank_preload.hpp"
#include "launch/plan/face_folders.hpp"
#include "launch/plan/preloaded.hpp"
#include "replay/trace/settings.hpp"
#include "report/trace/settings.hpp"
#include "world/process_record.hpp"

namespace lisle::launch {

namespace {

/// For scripts: the rank of a process that is one rank, and how many ranks the job has.
constexpr const char *rank_variable = "LISLE_RANK";
constexpr const char *size_variable = "LISLE_SIZE";
/// The same under the names of Open MPI's launcher: libraries that were built for it tell by them that they
/// are in a job, and scripts which rank they are.
constexpr const char *others_rank = "OMPI_COMM_WORLD_RANK";
constexpr const char *others_size = "OMPI_COMM_WORLD_SIZE";
constexpr std::array<std::string_view, 7> own_variables{
    process_record_variable,         rank_variable, size_variable,
    rank_preload_variable,           others_rank,   others_size,
    dynamic::launcher_alive_variable};

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

/// A program that was built for another MPI finds Lisle's face of it before that MPI itself, whether it names
/// the library, one of its libraries does, or it starts or loads what does. What is linked with Lisle needs
/// none. @return whether it sees one
bool show_faces(builder &variables, const process_plan &process, std::string_view abi) {
    const auto folders = process.linked_with_lisle ? std::string{} : face_folders(abi);
    if (!folders.empty()) {
        const auto others = variables.value_of("LD_LIBRARY_PATH");
        variables.set("LD_LIBRARY_PATH", folders + (others.empty() ? "" : ":") + others);
    }
    return !folders.empty();
}

/// The recorder's calls come before those of the program's other libraries, tools for MPI among them.
/// @param folder_variable tells it where to record to
void record_calls(builder &variables, const char *library, const char *folder_variable,
                  const std::string &folder) {
    if (folder.empty()) {
        return;
    }
    const auto others = variables.value_of("LD_PRELOAD");
    const auto recorder = installed_in() + "/" + library;
    variables.set("LD_PRELOAD", recorder + (others.empty() ? "" : ":" + others));
    variables.set(folder_variable, folder);
}

/// Libraries of which each rank is to have a copy must not be loaded for the process: the host loads them.
void hand_over_preloaded(builder &variables) {
    const auto divided = divide_preloaded(
        variables.value_of("LD_PRELOAD"), variables.value_of(variable_of(setting::private_libraries)),
        variables.value_of(variable_of(setting::shared_libraries)), variables.value_of("LD_LIBRARY_PATH"));
    if (!divided.of_ranks.empty()) {
        variables.set("LD_PRELOAD", divided.of_process);
        variables.set(rank_preload_variable, divided.of_ranks);
    }
}

/// Puts the allocator behind what the user preloads, which may be another one that is to be the first. The
/// host of thread and fiber ranks needs none: they reach each other's memory anyway.
void share_blocks(builder &variables, const process_plan &process) {
    const auto wanted = description_of(setting::shared_malloc)
                            .value_of(variables.value_of(variable_of(setting::shared_malloc)));
    const std::string prefix = installed_in();
    if (process.hosted || wanted != 1 || prefix.empty()) {
        return;
    }
    const std::string others =
        variables.value_of("LD_PRELOAD"); // of a job that a rank has spawned, ours as well
    const std::string allocator = prefix + "/libexec/lisle/liblisle_malloc.so";
    if (std::ranges::count(words_of(others, ": "), allocator) == 0) {
        variables.set("LD_PRELOAD", others + (others.empty() ? "" : ":") + allocator);
    }
}

/// What the host of thread and fiber ranks reads; a process that is one rank needs none of it.
void instruct_host(process_record &record, const process_plan &process, const job_request &request) {
    if (!process.hosted) {
        return;
    }
    record.host = true;
    record.labels = request.output.any(); // this is how the launcher tells the ranks' lines apart
    record.bind = request.placement.binding;
    record.input = request.input.rank.value_or(0);
}

} // namespace

bool set_by_launcher_alone(std::string_view name) {
    return std::find(own_variables.begin(), own_variables.end(), name) != own_variables.end();
}

std::vector<std::string> environment_of(const process_plan &process, std::size_t index,
                                        const job_request &request, int ranks_in_job, int segment_descriptor,
                                        char *const *inherited) {
    auto result = wanted_by(request, request.programs[process.program], inherited);
    process_record record{.table = segment_descriptor,
                          .process = static_cast<int>(index),
                          .program = static_cast<int>(process.program)};
    record.choices = request.exploration.folder;
    instruct_host(record, process, request);
    const bool sees_faces = show_faces(result, process, request.abi);
    share_blocks(result, process);
    record_calls(result, report::recorder_library, report::folder_variable, request.report.folder);
    record_calls(result, replay::recorder_library, replay::record_folder_variable, request.trace.folder);
    if (process.hosted) {
        hand_over_preloaded(result);
    }
    if (!process.hosted) {
        result.set(rank_variable, std::to_string(process.first_rank));
    }
    if (sees_faces && request.abi != "mpich") {
        result.set(others_size, std::to_string(ranks_in_job));
        if (!process.hosted) {
            result.set(others_rank, std::to_string(process.first_rank));
        }
    }
    result.set(process_record_variable, record.text());
    result.set(size_variable, std::to_string(ranks_in_job));
    result.set_by_default(variable_of(setting::universe_size),
                          std::to_string(std::max(ranks_in_job, cpu_set::allowed().count())));
    return result.take();
}

std::vector<std::string> environment_of_task(const process_plan &process, const job_request &request,
                                             char *const *inherited) {
    auto result = wanted_by(request, request.programs[process.program], inherited);
    process_record record{
        .program = static_cast<int>(process.program), .ranks = process.ranks, .workers = process.workers};
    instruct_host(record, process, request);
    show_faces(result, process, request.abi);
    if (process.hosted) {
        hand_over_preloaded(result);
    }
    result.set(process_record_variable, record.text());
    return result.take();
}

} // namespace lisle::launch
