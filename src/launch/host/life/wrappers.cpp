// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life/wrappers.hpp"

#include "launch/host/life/refusal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace lisle::host {

namespace {

constexpr std::array<std::string_view, 33> wrappers{
    "bash",    "chrt",   "dash",    "env",     "gdb",      "ionice", "lislerun", "ltrace",  "mpiexec",
    "mpirun",  "nice",   "nohup",   "numactl", "orterun",  "perf",   "prlimit",  "prterun", "prun",
    "rr",      "script", "setarch", "setsid",  "sh",       "srun",   "stdbuf",   "strace",  "sudo",
    "taskset", "time",   "timeout", "unshare", "valgrind", "zsh"};

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

} // namespace

void check_for_wrapper(const std::string &program) {
    char *const resolved = realpath(program.c_str(), nullptr);
    const std::string real = resolved != nullptr ? resolved : program;
    std::free(resolved);
    for (const std::string_view name : {base_name(program), base_name(real)}) {
        if (std::ranges::find(wrappers, name) != wrappers.end()) {
            throw refusal(program + " starts other programs, which " + kind_of_ranks +
                          " ranks cannot become: put it in front of the launcher (" + std::string(name) +
                          " lislerun ...), or run its ranks as processes: --ranks process");
        }
    }
}

void refuse_exec(int rank, const char *path) {
    const std::string text = "lisle-host: rank " + std::to_string(rank) + " called exec of " + path +
                             ", which would replace all " + kind_of_ranks +
                             " ranks of the process: let a child call it (fork), or run processes: --ranks "
                             "process\n";
    static_cast<void>(write(STDERR_FILENO, text.data(), text.size()));
    errno = ENOTSUP;
}

} // namespace lisle::host
