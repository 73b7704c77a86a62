// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/clock_comparison.hpp"

#include <ctime>

#include "launch/link/wire.hpp"

namespace lisle::launch {

std::int64_t clock_now() noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * second + now.tv_nsec;
}

std::string clock_comparison::question() {
    return packed(clock_now());
}

std::string clock_comparison::answer_to(std::string_view question) {
    std::int64_t asked = 0;
    unpack(question, asked);
    return packed(asked, clock_now());
}

bool clock_comparison::hears(std::string_view answer) {
    const std::int64_t now = clock_now();
    std::int64_t asked = 0, theirs = 0;
    unpack(answer, asked, theirs);
    if (const std::int64_t error = (now - asked + 1) / 2; error < found_.error) {
        found_ = {theirs, theirs - (asked + (now - asked) / 2), error};
    }
    return ++heard_ == needed;
}

} // namespace lisle::launch
