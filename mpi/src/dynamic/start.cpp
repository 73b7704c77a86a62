// SPDX-License-Identifier: Apache-2.0
#include "dynamic/start.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/pointers.hpp"
#include "base/settings.hpp"
#include "mpi.h"

namespace lisle::dynamic {

namespace {

/// The launcher that belongs to this library: LISLE_LAUNCHER, or bin/lislerun in a folder above the
/// library's.
std::string find_launcher() {
    if (const std::string &chosen = text_of(setting::launcher); !chosen.empty()) {
        return chosen;
    }
    Dl_info about{};
    if (dladdr(reinterpret_cast<const void *>(&find_launcher), &about) != 0 && about.dli_fname != nullptr) {
        std::error_code failure;
        auto above = std::filesystem::canonical(about.dli_fname, failure).parent_path();
        if (failure == std::errc::not_enough_memory) {
            throw std::bad_alloc{};
        }
        for (; !failure && above != above.root_path(); above = above.parent_path()) {
            if (const auto found = above / "bin/lislerun"; access(found.c_str(), X_OK) == 0) {
                return found;
            }
        }
    }
    fail(MPI_ERR_SPAWN, "there is no lislerun in a folder bin above that of the MPI library: LISLE_LAUNCHER "
                        "names the one to start jobs with");
}

std::vector<std::string> command_line(const std::string &launcher,
                                      const std::vector<started_program> &programs) {
    std::vector<std::string> words{launcher};
    if (value_of(setting::recovery) != 0) { // as the job of its parents
        words.insert(words.end(), {"--with-ft", "ulfm"});
    }
    for (const started_program &each : programs) {
        if (&each != &programs.front()) {
            words.emplace_back(":");
        }
        words.insert(words.end(), {"-n", std::to_string(each.ranks)});
        const auto option = [&words](const char *name, const std::string &value) {
            if (!value.empty()) {
                words.insert(words.end(), {name, value});
            }
        };
        option("--wdir", each.directory);
        option("--path", each.search_path);
        option("--ranks", each.kind);
        option("--host", each.hosts);
        if (!each.errhandler.empty()) {
            option("-x", sentence(description_of(setting::initial_errhandler).name, "=", each.errhandler));
        }
        words.push_back(each.command);
        words.insert(words.end(), each.arguments.begin(), each.arguments.end());
    }
    return words;
}

/// The variables of another launcher, which the new program must not see.
bool is_of_launcher(std::string_view setting) {
    constexpr std::array<std::string_view, 11> prefixes{"PMI_",
                                                        "PMIX_",
                                                        "HYDI_",
                                                        "OMPI_MCA_orte_",
                                                        "OMPI_MCA_ess",
                                                        "OMPI_COMM_WORLD_",
                                                        "OMPI_UNIVERSE_SIZE",
                                                        "PRTE_MCA_prte_",
                                                        "PRTE_MCA_ess",
                                                        "LISLE_PARENT_FD",
                                                        "LISLE_PARENT_PORT"};
    return std::ranges::any_of(prefixes,
                               [setting](std::string_view each) { return setting.starts_with(each); });
}

/// posix_spawn with input from nowhere, no signals blocked, and one descriptor kept open.
int spawn_with(const std::vector<char *> &words, const std::vector<char *> &settings, int kept,
               pid_t &child) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, kept, kept);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int error = posix_spawn(&child, words.front(), &files, &attributes, words.data(), settings.data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error;
}

} // namespace

owned_descriptor start_job(const std::vector<started_program> &programs, std::string_view parent_port) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        fail(MPI_ERR_SPAWN, "the system has no descriptors left to start a job: ", std::strerror(errno));
    }
    owned_descriptor own{ends[0]};
    const owned_descriptor launchers{ends[1]};
    std::vector<std::string> words = command_line(find_launcher(), programs);
    std::vector<std::string> settings{sentence(parent_port_variable, "=", parent_port),
                                      sentence(launcher_alive_variable, "=", launchers.get())};
    for (char *const *each = environ; *each != nullptr; ++each) {
        if (!is_of_launcher(*each)) {
            settings.emplace_back(*each);
        }
    }
    pid_t child = 0;
    if (const int error = spawn_with(pointers_to(words), pointers_to(settings), launchers.get(), child)) {
        fail(MPI_ERR_SPAWN, "cannot start ", words.front(), ": ", std::strerror(error));
    }
    // It exits at once: the process that goes on is no child of the program's process.
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return own;
}

} // namespace lisle::dynamic
