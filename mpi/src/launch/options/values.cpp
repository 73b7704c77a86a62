// SPDX-License-Identifier: Apache-2.0
#include "launch/options/values.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <set>

#include "base/text.hpp"
#include "launch/common/launch_error.hpp"

namespace lisle::launch {

namespace {

// No job has more ranks, so no set of numbers needs more.
constexpr int largest_number = 1 << 20;

bool read_number(std::string_view text, int &number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

int positive_number(std::string_view shown, std::string_view text) {
    int number = 0;
    if (!read_number(text, number) || number < 1) {
        give_up(exit_usage, shown, " needs a number of at least 1, not '", text, "'");
    }
    return number;
}

variable variable_of(std::string_view shown, std::string_view text) {
    const auto equals = text.find('=');
    if (text.empty() || equals == 0) {
        give_up(exit_usage, shown, " needs the name of a variable, not '", text, "'");
    }
    if (equals == std::string_view::npos) {
        return {std::string{text}, std::nullopt};
    }
    return {std::string{text.substr(0, equals)}, std::string{text.substr(equals + 1)}};
}

std::vector<int> soft_numbers(std::string_view shown, std::string_view text) {
    std::set<int> numbers;
    for (const auto triplet : split(text, ',')) {
        const auto parts = split(triplet, ':');
        int bounds[3] = {0, 0, 1};
        bool sound = parts.size() <= 3;
        for (std::size_t i = 0; sound && i < parts.size(); ++i) {
            sound = read_number(parts[i], bounds[i]);
        }
        if (parts.size() == 1) {
            bounds[1] = bounds[0];
        }
        if (!sound || bounds[2] == 0) {
            give_up(exit_usage, shown,
                    " needs numbers of ranks as 4, 2:8 or 2:8:2, separated by commas, not '", text, "'");
        }
        const long step = bounds[2];
        for (long at = bounds[0]; step > 0 ? at <= bounds[1] : at >= bounds[1]; at += step) {
            if (at >= 1 && at <= largest_number) {
                numbers.insert(static_cast<int>(at));
            }
        }
    }
    if (numbers.empty()) {
        give_up(exit_usage, shown, " ", text, " names no number of ranks that is at least 1");
    }
    return {numbers.begin(), numbers.end()};
}

int signal_number(std::string_view shown, std::string_view text) {
    int number = 0;
    if (read_number(text, number) && number > 0 && number < NSIG) {
        return number;
    }
    const auto bare = text.starts_with("SIG") ? text.substr(3) : text;
    for (number = 1; number < NSIG; ++number) {
        const char *const name = sigabbrev_np(number);
        if (name != nullptr && bare == name) {
            return number;
        }
    }
    give_up(exit_usage, shown, " needs the names or numbers of signals, as SIGUSR1 or 10, not '", text, "'");
}

rank_kind rank_kind_of(std::string_view shown, std::string_view text) {
    if (text == "process" || text == "processes") {
        return rank_kind::process;
    }
    if (text == "thread" || text == "threads") {
        return rank_kind::thread;
    }
    if (text == "fiber" || text == "fibers") {
        return rank_kind::fiber;
    }
    give_up(exit_usage, shown, " is 'process', 'thread' or 'fiber', not '", text, "'");
}

std::chrono::milliseconds seconds_of(std::string_view shown, std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    constexpr double longest = 1e9;
    if (error != std::errc{} || end != text.data() + text.size() || !(number > 0) || number > longest) {
        give_up(exit_usage, shown, " needs a number of seconds above 0, not '", text, "'");
    }
    return std::chrono::milliseconds{std::max<long long>(1, static_cast<long long>(number * 1000))};
}

} // namespace lisle::launch
