// SPDX-License-Identifier: Apache-2.0
// Whether a run has gone wrong, and how.
#pragma once

#include <optional>
#include <string>

#include "launch/exploration/single_run.hpp"

namespace lisle::launch {

struct run_failure {
    std::string sort;     ///< failures of one sort are taken for the same
    std::string sentence; ///< "a deadlock", "exit code 3"
};

/// Nothing: all is well. @param mistakes_fail what LISLE_CHECK=2 names is a failure
[[nodiscard]] std::optional<run_failure> failure_of(const run_result &run, bool mistakes_fail);

/// The lines of an output in an order that does not depend on which rank was first.
[[nodiscard]] std::string sorted_lines(const std::string &text);

} // namespace lisle::launch
