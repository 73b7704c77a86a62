// SPDX-License-Identifier: Apache-2.0
#include "launch/common/say.hpp"

#include <poll.h>
#include <unistd.h>

namespace lisle::launch {

namespace {

/// How long a terminal or pipe that takes nothing may hold the launcher up, in milliseconds.
constexpr int longest_wait_for_terminal = 200;

std::string &speaker() {
    static std::string name = "lislerun";
    return name;
}

} // namespace

void say_as(const std::string &name) {
    speaker() = name;
}

std::string said(const std::string &text) {
    return speaker() + ": " + text + "\n";
}

void say(const std::string &text) {
    pollfd terminal{STDERR_FILENO, POLLOUT, 0};
    if (poll(&terminal, 1, longest_wait_for_terminal) != 0) { // else it is full, and the job matters more
        print_report(said(text));
    }
}

void print_report(const std::string &report) {
    // Nothing can be done about an error output that takes nothing.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, report.data(), report.size());
}

} // namespace lisle::launch
