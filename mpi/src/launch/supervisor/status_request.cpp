// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/status_request.hpp"
#include "base/process_status.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "launch/common/launch_error.hpp"
#include "launch/supervisor/descendants.hpp"
#include "launch/supervisor/supervisor.hpp"

namespace lisle::launch {

namespace {

std::string folder_of(pid_t process) {
    return "/proc/" + std::to_string(process);
}

bool is_launcher(pid_t process) {
    std::error_code error;
    const auto program = std::filesystem::read_symlink(folder_of(process) + "/exe", error);
    return !error && program.filename() == "lislerun";
}

std::string name_of(pid_t process) {
    std::string name;
    std::getline(std::ifstream{folder_of(process) + "/comm"}, name);
    return name;
}

} // namespace

void ask_for_status(std::string_view process) {
    pid_t start = 0;
    const auto read = std::from_chars(process.data(), process.data() + process.size(), start);
    if (read.ec != std::errc{} || read.ptr != process.data() + process.size() || start <= 0) {
        give_up(exit_usage, "--status: '", process, "' is no process id");
    }
    pid_t launcher = start;
    while (launcher != 0 && !is_launcher(launcher)) {
        launcher = parent_of(launcher);
    }
    if (launcher != 0 && name_of(launcher) == supervisor_name) {
        launcher = parent_of(launcher);
    }
    if (launcher == 0) {
        give_up(1, "--status ", start, ": this is neither a launcher nor a process of one's job");
    }
    if (kill(launcher, SIGQUIT) != 0) {
        give_up(1, "--status ", start, ": the launcher ", launcher,
                " cannot be asked: ", std::strerror(errno));
    }
}

} // namespace lisle::launch
