// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that read variables to find a name or a default: they are called as they are,
// with the rank's variables in place. Those of the time zone are in calendar.cpp, those of locales in
// locale.cpp, those that start programs in execute.cpp.
#include "launch/host/interpose/borrowed_environment.hpp"

#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

#include <cstdio>
#include <mutex>
#include <unistd.h>
#include <wordexp.h>

namespace lisle::host {

namespace {
// Recursive: what is called with it may call another such function (a library's constructor that is loaded).
std::recursive_mutex borrowing;

const real<"tempnam", char *(const char *, const char *)> real_tempnam;
const real<"popen", std::FILE *(const char *, const char *)> real_popen;
const real<"wordexp", int(const char *, wordexp_t *, int)> real_wordexp;

} // namespace

// Threads that read the process's variables meanwhile find either array, both of which stay.
borrowed_environment::borrowed_environment(const hosted_rank *rank) {
    borrowing.lock();
    own_ = environ;
    if (rank != nullptr) {
        environ = rank->variables.array();
    }
}

borrowed_environment::~borrowed_environment() {
    environ = own_;
    borrowing.unlock();
}

} // namespace lisle::host

using lisle::host::borrowed_environment;
using lisle::host::this_rank;

extern "C" {

char *tempnam(const char *folder, const char *prefix) noexcept {
    const borrowed_environment variables(this_rank());
    return lisle::host::real_tempnam(folder, prefix);
}

std::FILE *popen(const char *command, const char *mode) {
    const borrowed_environment variables(this_rank());
    return lisle::host::real_popen(command, mode);
}

int wordexp(const char *words, wordexp_t *result, int flags) {
    const borrowed_environment variables(this_rank());
    return lisle::host::real_wordexp(words, result, flags);
}

} // extern "C"
