// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/spawned_jobs.hpp"

#include <fcntl.h>
#include <filesystem>
#include <string>
#include <utility>

#include "base/owned_descriptor.hpp"
#include "launch/supervisor/descendants.hpp"

namespace lisle::launch {

namespace {

std::filesystem::path program_of(const std::string &process) {
    std::error_code failure;
    return std::filesystem::read_symlink("/proc/" + process + "/exe", failure);
}

/// The table that a launcher has open; none: it has none, or has ended. Throws if the system does not tell.
owned_descriptor table_of(pid_t launcher) {
    std::error_code failure;
    for (const auto &each :
         std::filesystem::directory_iterator{"/proc/" + std::to_string(launcher) + "/fd"}) {
        if (!std::filesystem::is_regular_file(each.status(failure))) {
            continue;
        }
        const int number = std::stoi(each.path().filename().string());
        if (owned_descriptor opened = open_of_process(launcher, number, O_RDWR);
            opened && job_table::is_one(opened.get())) {
            return opened;
        }
    }
    return {};
}

} // namespace

std::vector<std::unique_ptr<watched_job>> own_and_spawned_jobs(const job_table &own) try {
    std::vector<std::unique_ptr<watched_job>> all;
    all.push_back(watched_job::attach(owned_descriptor{fcntl(own.descriptor(), F_DUPFD_CLOEXEC, 0)}));
    const std::filesystem::path launcher = program_of("self");
    for (const pid_t each : descendants()) {
        if (program_of(std::to_string(each)) != launcher) {
            continue;
        }
        if (owned_descriptor table = table_of(each)) { // else the process in front of one that has it
            all.push_back(watched_job::attach(std::move(table)));
        }
    }
    for (const auto &each : all) {
        if (each == nullptr) {
            return {};
        }
    }
    return all;
} catch (const std::filesystem::filesystem_error &) {
    return {};
}

} // namespace lisle::launch
