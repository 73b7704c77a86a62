// SPDX-License-Identifier: Apache-2.0
// A library that a program opens. It needs another one, and calls the program.
#include <cstdio>
#include <cstdlib>
#include <iostream>

extern "C" int program_adds(int number);
extern "C" int helper_counts();

namespace {
int uses;
thread_local int uses_of_thread = 100;

struct watcher {
    watcher() { std::printf("plugin begins\n"); }
    ~watcher() { std::printf("plugin ends after %d uses\n", uses); }
} watching;
} // namespace

extern "C" int plugin_counts() {
    static const bool registered = std::atexit([] { std::printf("plugin's handler\n"); }) == 0;
    ++uses;
    std::cout << "in plugin " << registered << " " << uses << "\n";
    return program_adds(uses) + helper_counts() + ++uses_of_thread;
}
