// SPDX-License-Identifier: Apache-2.0
// Keeps a process where nothing of its program has run, until a debugger is there: for lislerun --gdb, which
// attaches to all processes of a job. Fewer things go wrong than where a debugger follows a launcher's
// children through fork and exec.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/debugged.hpp"
#include "base/settings.hpp"

namespace lisle {

namespace {

/// Runs when the library has been loaded, before the program's own constructors.
[[gnu::constructor]] void hold_for_debugger() {
    if (value_of(setting::gdb) == 0) {
        return;
    }
    while (!is_debugged()) {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
    unsetenv(variable_of(setting::gdb).c_str()); // nobody waits for the programs that this one starts
}

} // namespace

} // namespace lisle
