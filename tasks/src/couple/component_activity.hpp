// SPDX-License-Identifier: Apache-2.0
// How long a component's ranks have waited, all together.
#pragma once

#include "couple/activity.hpp"

namespace lisle::couple::detail {

/// A component's ranks together.
struct component_activity {
    int ranks = 0;
    double length = 0; ///< of the run, in seconds: the longest of the ranks'
    double least_waited = 0, waited = 0, most_waited = 0; ///< parts of the length, over ranks
    activity::waits parts{};                              ///< by stretch: which part of it ranks waited
};

/// Collective over the component's ranks.
/// @param own has ended @param stretch becomes that of the component's parts, in seconds; at least its own
[[nodiscard]] component_activity measured(activity &own, MPI_Comm ranks, double stretch);

} // namespace lisle::couple::detail
