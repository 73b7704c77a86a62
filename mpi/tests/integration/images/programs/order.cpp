// SPDX-License-Identifier: Apache-2.0
// Prints the order in which constructors, handlers and destructors run.
#include <cstdio>
#include <cstdlib>
#include <string>

struct noisy {
    explicit noisy(const char *what) : name(what) { std::printf("+%s\n", name.c_str()); }
    ~noisy() { std::printf("-%s\n", name.c_str()); }
    std::string name;
};

noisy first("first");
noisy second("second");
thread_local noisy own("own");

void handler() {
    std::printf("handler\n");
}

void late() {
    std::printf("late\n");
    std::atexit(handler); // registered while handlers run: runs at once after this one
}

int main() {
    static noisy local("local");
    std::printf("main %s\n", own.name.c_str());
    std::atexit(handler);
    std::atexit(late);
    if (second.name == "second") {
        std::exit(5);
    }
}
