// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/plan.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

#include "base/settings.hpp"
#include "base/text.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/command_line.hpp"
#include "launch/options/values.hpp"
#include "launch/plan/face_folders.hpp"
#include "launch/plan/linked_mpi.hpp"

namespace lisle::launch {

namespace {

constexpr int most_ranks = 1 << 20;

bool is_regular_file(const std::string &path) {
    struct stat about {};
    return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

bool can_execute(const std::string &path) {
    return is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

/// The directories of a list like PATH.
std::vector<std::string> folders_of(std::string_view list) {
    std::vector<std::string> folders;
    for (const auto folder : split(list, ':')) {
        folders.emplace_back(folder.empty() ? "." : folder);
    }
    return folders;
}

std::vector<std::string> folders_to_search(const std::string &first) {
    const char *const variable = std::getenv("PATH");
    const std::string path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    return folders_of(first.empty() ? path : first + ":" + path);
}

/// How many of these units there are among the processors that the launcher may use.
int count_of(const std::string &unit) {
    return unit == "machine" ? 1 : std::max(1, static_cast<int>(places(unit).size()));
}

/// As many threads for the fibers of each process as make use of all cores.
int workers_for(const program_shape &shape) {
    const int cores = std::max(1, cpu_set::allowed().count());
    return std::max(1, cores / static_cast<int>(shape.ranks_of_process.size()));
}

std::vector<int> spread(int ranks, int processes) {
    std::vector<int> counts;
    for (int i = 0; i < processes; ++i) {
        counts.push_back(ranks / processes + (i < ranks % processes ? 1 : 0));
    }
    return counts;
}

} // namespace

job_shape job_plan::shape() const {
    job_shape shape;
    for (const auto &process : processes) {
        shape.ranks_of_process.push_back(process.ranks);
        shape.workers_of_process.push_back(process.workers);
        shape.node_of_process.push_back(process.host);
    }
    return shape;
}

int job_plan::ranks() const {
    return processes.back().first_rank + processes.back().ranks;
}

const process_plan &job_plan::process_of(int rank) const {
    return *std::prev(std::upper_bound(
        processes.begin(), processes.end(), rank,
        [](int wanted, const process_plan &process) { return wanted < process.first_rank; }));
}

std::optional<int> ranks_wanted(const program_request &program) {
    auto ranks = program.ranks ? program.ranks : program.tiles;
    if (!ranks && !program.processes && !program.ranks_per_process) {
        ranks = program.slots();
        if (program.per_unit) {
            const int units = count_of(program.per_unit->unit);
            if (program.per_unit->ranks > most_ranks / units) {
                give_up(exit_usage, "a job has at most ", most_ranks, " ranks");
            }
            ranks = program.per_unit->ranks * units;
        }
    }
    if (program.soft.empty()) {
        return ranks;
    }
    const auto above =
        ranks ? std::upper_bound(program.soft.begin(), program.soft.end(), *ranks) : program.soft.end();
    if (above == program.soft.begin()) {
        give_up(exit_usage, "-soft allows no number of ranks up to ", *ranks, ": the least is ",
                program.soft.front());
    }
    return *std::prev(above);
}

program_shape shape_of(const program_request &program, rank_kind kind, bool recovery) {
    const auto [ranks, processes, per_process] =
        std::tuple{ranks_wanted(program), program.processes, program.ranks_per_process};
    if (per_process.value_or(1) > most_ranks / processes.value_or(1) || ranks.value_or(1) > most_ranks) {
        give_up(exit_usage, "a job has at most ", most_ranks, " ranks");
    }
    if (processes && per_process && ranks && *processes * *per_process != *ranks) {
        give_up(exit_usage, "-P ", *processes, " -T ", *per_process, " makes ", *processes * *per_process,
                " ranks, but -n asks for ", *ranks);
    }
    if (processes && ranks && *ranks < *processes) {
        give_up(exit_usage, "-n ", *ranks, " ranks cannot be spread over -P ", *processes, " processes");
    }
    std::vector<int> counts;
    if (per_process && !processes && ranks) {
        // Full processes, and one with the rest.
        counts.assign(static_cast<std::size_t>(*ranks / *per_process), *per_process);
        if (*ranks % *per_process != 0) {
            counts.push_back(*ranks % *per_process);
        }
    } else if (per_process) {
        counts.assign(static_cast<std::size_t>(processes.value_or(1)), *per_process);
    } else if (processes) {
        counts = spread(ranks.value_or(*processes), *processes);
    } else {
        const bool one_in_each = recovery || program.kind.value_or(kind) == rank_kind::process;
        counts = spread(ranks.value_or(1), one_in_each ? ranks.value_or(1) : 1);
    }
    const bool fibers = program.kind.value_or(kind) == rank_kind::fiber;
    if (program.workers && !fibers) {
        give_up(exit_usage, "--workers is for fiber ranks: add --ranks fiber");
    }
    const bool several = counts.front() > 1;
    if (several && program.kind == rank_kind::process) {
        give_up(exit_usage, "--ranks process means one rank in each process, but ", per_process ? "-T" : "-P",
                " asks for ", counts.front());
    }
    return {std::move(counts), several || program.kind.value_or(kind) != rank_kind::process, fibers};
}

std::string find_program(const std::string &name, const std::string &directory,
                         const std::string &search_path) {
    if (!directory.empty() && access(directory.c_str(), X_OK) != 0) {
        give_up(exit_not_found, "cannot start '", name, "' in directory ", directory, ": ",
                std::strerror(errno));
    }
    // Relative names count from where the program starts, and else from where the launcher was started.
    std::vector<std::string> places;
    if (name.find('/') == std::string::npos) {
        for (const auto &folder : folders_to_search(search_path)) {
            places.push_back(folder + "/" + name);
        }
    }
    if (!name.starts_with('/') && !directory.empty()) {
        places.push_back(directory + "/" + name);
    }
    places.push_back(name);
    for (const auto &place : places) {
        if (can_execute(place)) {
            std::error_code ignored;
            const auto absolute = std::filesystem::absolute(place, ignored);
            return absolute.empty() ? place : absolute.string();
        }
    }
    for (const auto &place : places) {
        if (is_regular_file(place)) {
            give_up(exit_not_executable, "'", place, "' is not executable (chmod +x ", place,
                    "; or put its interpreter in front, as in lislerun -n 2 python3 ", place, ")");
        }
    }
    if (std::filesystem::is_directory(name)) {
        give_up(exit_not_executable, "'", name, "' is a directory, not a program");
    }
    if (name.find('/') == std::string::npos) {
        give_up(exit_not_found, "there is no program '", name, "', neither in PATH nor in this directory");
    }
    give_up(exit_not_found, "there is no file '", name, "'");
}

std::string find_host() {
    const auto prefix = installed_in();
    if (prefix.empty()) {
        give_up(exit_not_found,
                "thread and fiber ranks need /proc/self/exe to find lisle-host; try --ranks process");
    }
    const auto host = prefix + "/libexec/lisle/lisle-host";
    if (!can_execute(host)) {
        give_up(exit_not_found, "thread and fiber ranks need ", host,
                ", which is missing or not executable; try --ranks process");
    }
    return host;
}

namespace {

void check_input(const input_request &input, const job_plan &job) {
    if (input.rank && *input.rank >= job.ranks()) {
        give_up(exit_usage, "-stdin ", *input.rank, ": the last rank of this job is ", job.ranks() - 1);
    }
    const bool hosted = std::any_of(job.processes.begin(), job.processes.end(),
                                    [](const process_plan &process) { return process.hosted; });
    if (input.all && hosted) {
        give_up(exit_usage, "-stdin all needs a process for each rank, since the threads and fibers of one "
                            "process share its input: add --ranks process");
    }
}

/// A program that was built for another MPI needs the libraries of one face, and of no other.
void check_faces(const std::string &path, const std::string &abi) {
    std::string first;
    std::string_view first_face;
    for (const auto &library : libraries_of_others(path)) {
        const auto face = face_with(abi, library);
        if (face.empty()) {
            give_up(exit_not_executable, path, " is linked with ", library, ", the library of another MPI",
                    abi.empty() ? ", of which Lisle has no counterpart"
                                : ", which --abi " + abi + " excludes",
                    "; compile it with Lisle's mpicc, mpicxx or mpifort");
        }
        if (!first.empty() && face != first_face) {
            give_up(exit_not_executable, path, " is linked with ", first, " and with ", library,
                    ", the libraries of two MPIs whose handles differ; link it with one of them");
        }
        first = library;
        first_face = face;
    }
}

} // namespace

rank_kind kind_by_default(const char *default_kind) {
    return default_kind != nullptr && *default_kind != '\0'
               ? rank_kind_of(variable_of(setting::ranks), default_kind)
               : rank_kind::process;
}

std::vector<program_shape> shapes_of(const job_request &request, const char *default_kind) {
    // What the first program says holds for the others too, unless they say otherwise.
    const auto said = request.programs.front().kind;
    std::vector<program_shape> shapes;
    for (auto program : request.programs) {
        const bool alone = !program.processes && !program.ranks_per_process;
        if (!program.kind && said && alone) {
            program.kind = said;
        }
        shapes.push_back(shape_of(program, kind_by_default(default_kind), request.control.recovery));
    }
    return shapes;
}

job_plan plan(const job_request &request, const char *default_kind) {
    const auto shapes = shapes_of(request, default_kind);
    job_plan result;
    long total = 0;
    for (std::size_t i = 0; i < request.programs.size(); ++i) {
        const auto &program = request.programs[i];
        const auto &shape = shapes[i];
        auto path = find_program(program.arguments.front(), program.directory, program.search_path);
        check_faces(path, request.abi);
        const bool linked_with_lisle = is_linked_with_lisle(path);
        auto arguments = program.arguments;
        if (shape.hosted) {
            // The host opens the program by this name, after it has entered the program's directory.
            if (arguments.front().find('/') == std::string::npos || !program.directory.empty()) {
                arguments.front() = path;
            }
            path = find_host();
            arguments.insert(arguments.begin(), path);
        }
        for (const int ranks : shape.ranks_of_process) {
            if (total + ranks > most_ranks) {
                give_up(exit_usage, "a job has at most ", most_ranks, " ranks");
            }
            const int workers =
                shape.fibers ? std::min(ranks, program.workers.value_or(workers_for(shape))) : 0;
            result.processes.push_back({i, static_cast<int>(total), ranks, shape.hosted, workers, path,
                                        arguments, linked_with_lisle});
            total += ranks;
        }
    }
    check_input(request.input, result);
    return result;
}

} // namespace lisle::launch
