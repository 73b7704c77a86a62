// SPDX-License-Identifier: Apache-2.0
// The name of the program: programs look for their files beside /proc/self/exe, which for a thread rank is
// the host. The functions that read this link give the program's path instead.
#include "launch/host/interpose/identity.hpp"

#include "launch/host/process/number.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const rank_slot<std::string> program_path; // absolute; written before any rank runs

const real<"readlink", ssize_t(const char *, char *, std::size_t)> real_readlink;
const real<"readlinkat", ssize_t(int, const char *, char *, std::size_t)> real_readlinkat;
const real<"realpath", char *(const char *, char *)> real_realpath;

bool means_program(const char *path) {
    if (this_rank() == nullptr || path == nullptr || std::strncmp(path, "/proc/", 6) != 0) {
        return false;
    }
    char by_number[32];
    std::snprintf(by_number, sizeof by_number, "/proc/%d/exe", known_number());
    return std::strcmp(path, "/proc/self/exe") == 0 || std::strcmp(path, "/proc/thread-self/exe") == 0 ||
           std::strcmp(path, by_number) == 0;
}

ssize_t copy_path(char *buffer, std::size_t size) {
    const std::string &program = program_path.current();
    const std::size_t length = std::min(size, program.size());
    std::memcpy(buffer, program.data(), length);
    return static_cast<ssize_t>(length);
}

} // namespace

void note_program(hosted_rank &rank, const std::string &path) {
    char resolved[PATH_MAX];
    program_path.of(rank) = realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

void take_identity(const std::string &called_as) {
    program_invocation_name = strdup(called_as.c_str());
    const char *const slash = std::strrchr(program_invocation_name, '/');
    program_invocation_short_name = slash == nullptr
                                        ? program_invocation_name
                                        : program_invocation_name + (slash - program_invocation_name) + 1;
    prctl(PR_SET_NAME, program_invocation_short_name);
}

const char *path_of_program(const char *path) {
    return means_program(path) ? program_path.current().c_str() : path;
}

void name_thread(int rank) {
    constexpr std::size_t most = 15; // the kernel's limit
    const std::string suffix = ":" + std::to_string(rank);
    const std::string name =
        std::string(program_invocation_short_name).substr(0, most - suffix.size()) + suffix;
    pthread_setname_np(pthread_self(), name.c_str());
}

} // namespace lisle::host

using lisle::host::copy_path;
using lisle::host::means_program;

extern "C" {

ssize_t readlink(const char *path, char *buffer, std::size_t size) noexcept {
    return means_program(path) ? copy_path(buffer, size) : lisle::host::real_readlink(path, buffer, size);
}

ssize_t readlinkat(int folder, const char *path, char *buffer, std::size_t size) noexcept {
    return means_program(path) ? copy_path(buffer, size)
                               : lisle::host::real_readlinkat(folder, path, buffer, size);
}

char *realpath(const char *path, char *resolved) noexcept {
    return lisle::host::real_realpath(lisle::host::path_of_program(path), resolved);
}

} // extern "C"
