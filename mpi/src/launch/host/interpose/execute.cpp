// SPDX-License-Identifier: Apache-2.0
// Starting other programs, from a rank or a child that it forked: with the rank's environment, found by the
// rank's PATH; /proc/self/exe is the rank's program.
#include "base/text.hpp"
#include "launch/host/interpose/identity.hpp"
#include "launch/host/process/children.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/signals/children.hpp"
#include "library/host_interface.h"
#include "world/process_record.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace lisle::host {

namespace {

const real<"execve", int(const char *, char *const *, char *const *)> real_execve;
const real<"execvpe", int(const char *, char *const *, char *const *)> real_execvpe;
using spawn_function = int(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const *, char *const *);
const real<"posix_spawn", spawn_function> real_spawn;
const real<"posix_spawnp", spawn_function> real_spawnp;
const real<"system", int(const char *)> real_system;

/// posix_spawn: the end of the child will be told to the calling rank.
int spawn_noted(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const variables[]) {
    child_start start;
    pid_t number = 0;
    const int error = real_spawn(&number, path, actions, attributes, arguments, variables);
    if (error == 0) {
        start.began(number);
        if (child != nullptr) {
            *child = number;
        }
    }
    return error;
}

/// The arguments of a call like execl, up to and with the null pointer.
std::vector<char *> collect(const char *first, std::va_list rest) {
    std::vector<char *> arguments{const_cast<char *>(first)};
    while (arguments.back() != nullptr) {
        arguments.push_back(va_arg(rest, char *));
    }
    return arguments;
}

/// Where a rank's search for a program leads: the name itself, or one path for each folder of its PATH.
std::vector<std::string> candidates(const hosted_rank &rank, const char *file) {
    if (std::strchr(file, '/') != nullptr) {
        return {file};
    }
    const char *const path = rank.variables.get("PATH");
    std::vector<std::string> found;
    for (const std::string_view folder : words_of(path != nullptr ? path : "/bin:/usr/bin", ":")) {
        found.push_back(std::string(folder) + "/" + file);
    }
    return found;
}

/// What a program that a rank starts finds in its environment: no way into the job once the rank has begun
/// MPI, since the program would be a second one of that rank. If it begins MPI, it is a job of its own.
class child_variables {
  public:
    explicit child_variables(char *const variables[]) : kept_{variables} {
        if (this_rank() == nullptr || variables == nullptr || lisle_host_has_begun_mpi() == 0) {
            return;
        }
        const std::string way = std::string{process_record_variable} + "=";
        for (char *const *each = variables; *each != nullptr; ++each) {
            if (std::strncmp(*each, way.c_str(), way.size()) != 0) {
                others_.push_back(*each);
            }
        }
        others_.push_back(nullptr);
        kept_ = others_.data();
    }
    child_variables(const child_variables &) = delete;
    child_variables &operator=(const child_variables &) = delete;
    [[nodiscard]] char *const *array() const noexcept { return kept_; }

  private:
    std::vector<char *> others_;
    char *const *kept_;
};

/// As a shell's script, for files that name no interpreter.
int execute_script(const char *path, char *const arguments[], char *const variables[]) {
    std::vector<char *> words{const_cast<char *>("/bin/sh"), const_cast<char *>(path)};
    for (char *const *each = arguments[0] != nullptr ? arguments + 1 : arguments; *each != nullptr; ++each) {
        words.push_back(*each);
    }
    words.push_back(nullptr);
    return real_execve("/bin/sh", words.data(), variables);
}

/// While one of these lives, SIGINT and SIGQUIT do not end this process, as system(3) promises.
class ignored_interrupts {
  public:
    ignored_interrupts() {
        const std::scoped_lock lock(mutex);
        if (users++ == 0) {
            struct sigaction ignore {};
            ignore.sa_handler = SIG_IGN;
            for (std::size_t i = 0; i != signals.size(); ++i) {
                sigaction(signals[i], &ignore, &former[i]);
            }
        }
    }
    ~ignored_interrupts() {
        const std::scoped_lock lock(mutex);
        if (--users == 0) {
            for (std::size_t i = 0; i != signals.size(); ++i) {
                sigaction(signals[i], &former[i], nullptr);
            }
        }
    }
    ignored_interrupts(const ignored_interrupts &) = delete;
    ignored_interrupts &operator=(const ignored_interrupts &) = delete;

    static constexpr std::array<int, 2> signals{SIGINT, SIGQUIT};

  private:
    static inline std::mutex mutex; ///< protects what is below
    static inline int users = 0;
    static inline std::array<struct sigaction, 2> former;
};

/// Starts a shell for the command, with these variables, and waits for its end.
int run_shell(const char *command, char *const variables[]) {
    const ignored_interrupts meanwhile;
    sigset_t by_default;
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&by_default);
    for (const int each : ignored_interrupts::signals) {
        sigaddset(&by_default, each);
    }
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setsigdefault(&attributes, &by_default);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    char shell[] = "sh";
    char option[] = "-c";
    char *const words[] = {shell, option, const_cast<char *>(command), nullptr};
    pid_t child = 0;
    int status = 127 << 8; // as if there were no shell
    if (spawn_noted(&child, "/bin/sh", nullptr, &attributes, words, variables) == 0) {
        rusage used{};
        while (wait4(child, &status, 0, &used) < 0) {
            if (errno != EINTR) {
                status = -1;
                break;
            }
        }
        rank_children.current().remove(child, used);
    }
    posix_spawnattr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return status;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int execve(const char *path, char *const arguments[], char *const variables[]) noexcept {
    const hosted_rank *const rank = lisle::host::this_rank();
    if (rank != nullptr && !in_child()) {
        return refuse_call((std::string("exec of ") + path).c_str(),
                           "one program (a child may call it: fork)");
    }
    return real_execve(path_of_program(path), arguments, child_variables{variables}.array());
}

int execvpe(const char *file, char *const arguments[], char *const variables[]) noexcept {
    const hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_execvpe(file, arguments, variables);
    }
    int reason = ENOENT;
    for (const std::string &path : candidates(*rank, file)) {
        execve(path.c_str(), arguments, variables);
        if (errno == ENOTSUP) {
            return -1;
        }
        if (errno == ENOEXEC) {
            execute_script(path.c_str(), arguments, variables);
        }
        if (errno != ENOENT && errno != ENOTDIR) {
            reason = errno;
        }
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
            return -1;
        }
    }
    errno = reason;
    return -1;
}

int execv(const char *path, char *const arguments[]) noexcept {
    const hosted_rank *const rank = lisle::host::this_rank();
    return execve(path, arguments, rank == nullptr ? environ : rank->variables.array());
}

int execvp(const char *file, char *const arguments[]) noexcept {
    const hosted_rank *const rank = lisle::host::this_rank();
    return execvpe(file, arguments, rank == nullptr ? environ : rank->variables.array());
}

int execl(const char *path, const char *first, ...) noexcept {
    std::va_list rest;
    va_start(rest, first);
    const std::vector<char *> arguments = collect(first, rest);
    va_end(rest);
    return execv(path, arguments.data());
}

int execlp(const char *file, const char *first, ...) noexcept {
    std::va_list rest;
    va_start(rest, first);
    const std::vector<char *> arguments = collect(first, rest);
    va_end(rest);
    return execvp(file, arguments.data());
}

int execle(const char *path, const char *first, ...) noexcept {
    std::va_list rest;
    va_start(rest, first);
    const std::vector<char *> arguments = collect(first, rest);
    char *const *const variables = va_arg(rest, char *const *);
    va_end(rest);
    return execve(path, arguments.data(), variables);
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const variables[]) {
    return spawn_noted(child, path_of_program(path), actions, attributes, arguments,
                       child_variables{variables}.array());
}

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const variables[]) {
    const hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_spawnp(child, file, actions, attributes, arguments, variables);
    }
    int reason = ENOENT;
    for (const std::string &path : candidates(*rank, file)) {
        const int error = posix_spawn(child, path.c_str(), actions, attributes, arguments, variables);
        if (error != ENOENT && error != ENOTDIR && error != EACCES) {
            return error;
        }
        reason = error == EACCES ? error : reason;
    }
    return reason;
}

int system(const char *command) {
    const hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr || command == nullptr
               ? real_system(command)
               : run_shell(command, child_variables{rank->variables.array()}.array());
}

} // extern "C"
