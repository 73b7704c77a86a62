// SPDX-License-Identifier: Apache-2.0
// A coupled run as a picture: which component gives which fields to which, and how much of their time they
// wait for each other.
#pragma once

#include <string>
#include <vector>

#include "couple/activity.hpp"
#include "couple/declaration.hpp"

namespace lisle::couple::detail {

/// A component's ranks together.
struct component_activity {
    int ranks = 0;
    double length = 0; ///< of the run, in seconds: the longest of the ranks'
    double least_waited = 0, waited = 0, most_waited = 0; ///< parts of the length, over ranks
    activity::waits parts{};                              ///< by stretch: which part of it ranks waited
};

/// As SVG. @param all by component, in one order @param stretch in seconds
[[nodiscard]] std::string run_picture(const std::vector<declaration> &all,
                                      const std::vector<component_activity> &activities, double stretch);

} // namespace lisle::couple::detail
