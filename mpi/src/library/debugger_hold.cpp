// SPDX-License-Identifier: Apache-2.0
// Keeps a process where nothing of its program has run, until a debugger is there: for lislerun --gdb, which
// attaches to all processes of a job. Fewer things go wrong than where a debugger follows a launcher's
// children through fork and exec.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/debugged.hpp"
#include "base/environment.hpp"

namespace lisle {

namespace {

constexpr const char *hold_variable = "LISLE_GDB";

/// Runs when the library has been loaded, before the program's own constructors.
[[gnu::constructor]] void hold_for_debugger() {
    // The program may still change the environment before settings are read, so the table has to wait.
    if (environment_text(hold_variable) != "hold") {
        return;
    }
    while (!is_debugged()) {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
    unsetenv(hold_variable); // nobody waits for the programs that this one starts
}

} // namespace

} // namespace lisle
