// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/sanitizer.hpp"

#include "launch/host/image/closure.hpp"
#include "launch/host/rank/refusal.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace lisle::host {

namespace {

constexpr const char *preload_variable = "LD_PRELOAD";
/// Holds the user's own LD_PRELOAD over the second start.
constexpr const char *saved_variable = "LISLE_HOST_PRELOAD";

void restore_environment() {
    const char *const saved = std::getenv(saved_variable);
    if (saved != nullptr) {
        if (*saved != '\0') {
            setenv(preload_variable, saved, 1);
        } else {
            unsetenv(preload_variable);
        }
        unsetenv(saved_variable);
    }
}

} // namespace

void preload_sanitizer(const program_file &program, char **arguments) {
    for (const std::string &library : program.tables().needed()) {
        const bool runtime = library.starts_with("libasan.so") || library.starts_with("libtsan.so");
        if (!runtime || is_loaded(library)) {
            continue;
        }
        if (std::getenv(saved_variable) != nullptr) {
            refuse_threads(program.path(), "its sanitizer's runtime " + library + " could not be preloaded");
        }
        const char *const own = std::getenv(preload_variable);
        const std::string before = own != nullptr ? own : "";
        setenv(saved_variable, before.c_str(), 1);
        setenv(preload_variable, (library + (before.empty() ? "" : ":") + before).c_str(), 1);
        execv("/proc/self/exe", arguments);
        throw refusal("starting the host again with " + library + " failed: " + std::strerror(errno));
    }
    restore_environment();
}

} // namespace lisle::host
