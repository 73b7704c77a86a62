// SPDX-License-Identifier: Apache-2.0
// The forms of exec that take the environment from where they are called: in a child that a rank forked, from
// the rank.
#include "launch/host/life/hosted_rank.hpp"
#include "launch/host/interpose/real.hpp"

#include <cstdarg>
#include <unistd.h>
#include <vector>

namespace {

using lisle::host::hosted_rank;

const lisle::host::real<"execv", int(const char *, char *const *)> real_execv;
const lisle::host::real<"execvp", int(const char *, char *const *)> real_execvp;

/// The arguments of a call like execl, up to and with the null pointer.
std::vector<char *> collect(const char *first, std::va_list rest) {
    std::vector<char *> arguments{const_cast<char *>(first)};
    while (arguments.back() != nullptr) {
        arguments.push_back(va_arg(rest, char *));
    }
    return arguments;
}

} // namespace

extern "C" {

int execv(const char *path, char *const arguments[]) noexcept {
    const hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_execv(path, arguments) : execve(path, arguments, rank->variables.array());
}

int execvp(const char *file, char *const arguments[]) noexcept {
    const hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_execvp(file, arguments) : execvpe(file, arguments, rank->variables.array());
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

} // extern "C"
