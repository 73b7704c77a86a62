// SPDX-License-Identifier: Apache-2.0
// A coupled run as a picture: which component gives which fields to which, and how much of their time they
// wait for each other.
#pragma once

#include <string>
#include <vector>

#include "couple/component_activity.hpp"
#include "couple/declaration.hpp"

namespace lisle::couple::detail {

/// As SVG. @param all by component, in one order @param stretch in seconds
[[nodiscard]] std::string run_picture(const std::vector<declaration> &all,
                                      const std::vector<component_activity> &activities, double stretch);

} // namespace lisle::couple::detail
