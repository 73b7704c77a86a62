// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/met_jobs.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include "base/owned_descriptor.hpp"
#include "base/process_status.hpp"

namespace lisle::launch {

namespace {

std::filesystem::path program_of(const std::string &process) {
    std::error_code failure;
    return std::filesystem::read_symlink("/proc/" + process + "/exe", failure);
}

/// What lies in a folder of /proc, as far as the system tells.
std::vector<std::string> names_in(const std::string &folder) {
    std::vector<std::string> names;
    try {
        for (const auto &each : std::filesystem::directory_iterator{folder}) {
            names.push_back(each.path().filename().string());
        }
    } catch (const std::filesystem::filesystem_error &) { // the process has ended, or is not ours
    }
    return names;
}

/// 0: it is none.
int number_in(const std::string &name) {
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return number;
}

/// The table that a launcher has open; none: it has none, or has ended.
owned_descriptor table_of(pid_t launcher) {
    const std::string folder = "/proc/" + std::to_string(launcher) + "/fd";
    for (const std::string &name : names_in(folder)) {
        std::error_code gone;
        if (!std::filesystem::is_regular_file(folder + '/' + name, gone)) {
            continue;
        }
        if (owned_descriptor opened = open_of_process(launcher, number_in(name), O_RDWR);
            opened && job_table::is_one(opened.get())) {
            return opened;
        }
    }
    return {};
}

/// Other launchers of this user, with the same program, that have a job.
std::vector<met_job> jobs_of_others() {
    std::vector<met_job> all;
    const std::filesystem::path launcher = program_of("self");
    for (const std::string &name : names_in("/proc")) {
        const pid_t process = number_in(name);
        if (process <= 0 || process == getpid() || program_of(name) != launcher) {
            continue;
        }
        if (owned_descriptor table = table_of(process)) { // else the process in front of one that has it
            if (auto attached = watched_job::attach(std::move(table))) {
                all.push_back({std::move(attached), process});
            }
        }
    }
    return all;
}

/// True if the process is below one of the others.
bool ends_with_another(pid_t launcher, const std::vector<met_job> &jobs) {
    for (pid_t above = parent_of(launcher); above > 1; above = parent_of(above)) {
        if (std::ranges::find(jobs, above, &met_job::launcher) != jobs.end()) {
            return true;
        }
    }
    return false;
}

} // namespace

std::vector<met_job> own_and_met_jobs(const job_table &own) {
    std::vector<met_job> all;
    all.push_back(
        {watched_job::attach(owned_descriptor{fcntl(own.descriptor(), F_DUPFD_CLOEXEC, 0)}), getpid()});
    if (all.front().job == nullptr) {
        return {};
    }
    std::optional<std::vector<met_job>> others;
    for (std::size_t at = 0; at != all.size(); ++at) {
        const std::optional<std::vector<job_id>> met = jobs_met_by(*all[at].job);
        if (!met) {
            return {};
        }
        for (const job_id each : *met) {
            const auto is_it = [each](const met_job &known) { return known.job->id() == each; };
            if (std::ranges::any_of(all, is_it)) {
                continue;
            }
            if (!others) {
                others = jobs_of_others();
            }
            const auto found = std::ranges::find_if(*others, is_it);
            if (found == others->end()) {
                return {};
            }
            all.push_back(std::move(*found));
            others->erase(found);
        }
    }
    return all;
}

std::vector<const met_job *> roots_of(const std::vector<met_job> &jobs) {
    std::vector<const met_job *> found;
    for (const met_job &each : jobs) {
        if (!ends_with_another(each.launcher, jobs)) {
            found.push_back(&each);
        }
    }
    return found;
}

} // namespace lisle::launch
