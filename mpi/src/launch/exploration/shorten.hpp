// SPDX-License-Identifier: Apache-2.0
// From a run that fails to one that fails in the same way and departs from the usual order in as little as
// possible.
#pragma once

#include <functional>
#include <vector>

#include "choice/choice.hpp"

namespace lisle::launch {

/// Whether a run that follows these choices, and in all else the usual order, fails in that way.
using fails_with = std::function<bool(const std::vector<choice::decision> &follow)>;

/// @param departures that fail together @return those of which none can be left out
[[nodiscard]] std::vector<choice::decision> shorten(std::vector<choice::decision> departures,
                                                    const fails_with &fails);

} // namespace lisle::launch
