// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/failure.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/supervisor/verdict.hpp"
#include "world/bootstrap.hpp"

namespace lisle::launch {

namespace {

/// What the library says of a mistake that does not end the job: "lisle: rank 0: MPI_Finalize: ..."
std::string_view mistake_in(std::string_view errors) {
    constexpr std::string_view begin = "lisle: rank ";
    for (const std::string_view line : split(errors, '\n')) {
        if (line.starts_with(begin) && line.find(": note: ") == std::string_view::npos) {
            return line;
        }
    }
    return {};
}

} // namespace

std::optional<run_failure> failure_of(const run_result &run, bool mistakes_fail) {
    if (!run.made.endless.empty()) {
        return run_failure{"endless", "a rank finds nothing for ever: " + run.made.endless};
    }
    if (run.exit_code == deadlock_exit_code) {
        return run_failure{"deadlock", "a deadlock"};
    }
    if (run.exit_code == exit_timeout) {
        return run_failure{"time", "a run that does not end within its time (--timeout)"};
    }
    if (run.exit_code > exit_by_signal) {
        const int signal = run.exit_code - exit_by_signal;
        return run_failure{sentence("signal ", signal), "a crash: " + signal_name(signal)};
    }
    if (run.exit_code != 0) {
        return run_failure{sentence("exit ", run.exit_code), sentence("exit code ", run.exit_code)};
    }
    if (const auto mistake = mistake_in(run.errors); mistakes_fail && !mistake.empty()) {
        return run_failure{"mistake", sentence("a mistake: ", mistake.substr(mistake.find(' ') + 1))};
    }
    return std::nullopt;
}

std::string sorted_lines(const std::string &text) {
    auto lines = split(text, '\n');
    std::ranges::sort(lines);
    std::string sorted;
    for (const auto line : lines) {
        sorted += line;
        sorted += '\n';
    }
    return sorted;
}

} // namespace lisle::launch
