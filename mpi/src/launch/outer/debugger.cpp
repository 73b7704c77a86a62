// SPDX-License-Identifier: Apache-2.0
#include "launch/outer/debugger.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <unistd.h>
#include <vector>

#include "base/settings.hpp"
#include "launch/common/launch_error.hpp"

namespace lisle::launch {

namespace {

/// A word of a command of gdb's.
std::string word_of(std::string_view word) {
    std::string text = "'";
    for (const char letter : word) {
        text += letter == '\'' ? std::string{"'\\''"} : std::string{letter};
    }
    return text + "'";
}

[[noreturn]] void become_debugger(const std::string &command) {
    std::vector<std::string> words{"gdb", "-q", "-iex", "source " + find_host() + "-gdb.py", "-ex", command};
    std::vector<char *> pointers;
    for (std::string &each : words) {
        pointers.push_back(each.data());
    }
    pointers.push_back(nullptr);
    execvp("gdb", pointers.data());
    give_up(exit_not_found, "gdb cannot be started: ", std::strerror(errno));
}

} // namespace

bool is_in_debugger() {
    return value_of(setting::gdb) != 0;
}

void start_in_debugger(std::span<const std::string_view> arguments, const job_request &request,
                       const job_plan &job) {
    std::set<std::string> images;
    for (const process_plan &each : job.processes) {
        if (each.hosted) {
            const program_request &program = request.programs[each.program];
            const auto file = find_program(program.arguments.front(), program.directory, program.search_path);
            images.insert(
                std::filesystem::absolute(std::filesystem::path{program.directory} / file).string());
        }
    }
    std::string command = "lisle start " + std::to_string(job.processes.size());
    for (const std::string &each : images) {
        command += " " + word_of(each);
    }
    command += " -- " + word_of(std::filesystem::read_symlink("/proc/self/exe").string());
    for (const std::string_view each : arguments) {
        command += " " + word_of(each);
    }
    become_debugger(command);
}

void attach_debugger(const std::string &process) {
    become_debugger("lisle attach " + process);
}

void open_core_file(const std::string &file, const std::string &program) {
    become_debugger("lisle core " + word_of(file) + (program.empty() ? "" : " " + word_of(program)));
}

} // namespace lisle::launch
