// SPDX-License-Identifier: Apache-2.0
#include "inner.hpp"

#include <iostream>
#include <sstream>
#include <vector>

int rank_number = -1;
thread_local int steps_of_thread = 5;

namespace {

std::vector<std::string> early; // zero-initialised or constructed: never another rank's
noisy first("static of the inner library");
int inside = (++uses_of_header, registry<int>::entries["inner"] = 1, 40);
int *const pointer_to_inside = &inside; // relocated for each copy

[[gnu::destructor]] void last_of_inner() {
    std::cout << "[" << std::dec << rank_number << "] end of the inner library " << inside << std::endl;
}

} // namespace

void say(const std::string &line) {
    if (rank_number < 0) {
        early.push_back(line);
        return;
    }
    std::ostringstream text;
    for (const std::string &each : early) {
        text << "[" << rank_number << "] early " << each << "\n";
    }
    early.clear();
    text << "[" << rank_number << "] " << line << "\n";
    std::cout << text.str() << std::flush;
}

inner_error::~inner_error() = default;
shape::~shape() = default;

noisy::noisy(std::string name) : name_(std::move(name)) {
    say("begin " + name_);
}
noisy::~noisy() {
    say("end " + name_ + " " + std::to_string(value));
}

void fail_inside(int code) {
    throw inner_error("inner failure of rank " + std::to_string(rank_number), code);
}

int count_inside() {
    static noisy in_function("static of a function of the inner library");
    in_function.value += 1;
    steps_of_thread += 1;
    return *pointer_to_inside += in_function.value;
}
