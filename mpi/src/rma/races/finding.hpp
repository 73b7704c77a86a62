// SPDX-License-Identifier: Apache-2.0
// Finds accesses to the same bytes that nothing orders, of which one is a put, or one a get and one an
// accumulate: their outcome is undefined [MPI-5.0 12.7].
#pragma once

#include <vector>

#include "rma/races/access.hpp"

namespace lisle::rma {

struct race {
    access_record a, b;
};

/// Both origins have said that updates of one place are of one operation, and theirs is not the same.
[[nodiscard]] bool break_promise(const access_record &a, const access_record &b) noexcept;

/// Between fences nothing orders accesses. Of one rank's in other epochs a flush does. Those of two ranks are
/// in order if the one rank may have heard of the other's after it was complete; where that cannot be told,
/// they count as ordered, so each race that is found is one.
/// @param accesses,turns of all ranks; they are sorted
/// @return a few, one for each pair of calls: the same for the same accesses
[[nodiscard]] std::vector<race> find_races(std::vector<access_record> &accesses,
                                           std::vector<exclusive_turn> &turns);

} // namespace lisle::rma
