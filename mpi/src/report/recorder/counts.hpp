// SPDX-License-Identifier: Apache-2.0
// How much the calls of collectives move that have a count for each rank or neighbour.
#pragma once

#include "report/recorder/call.hpp"

namespace lisle::report {

[[nodiscard]] inline MPI_Count all_ranks(const shared_group &group) noexcept {
    return group != nullptr ? static_cast<MPI_Count>(group->peers.size()) : 0;
}

/// Those that take the caller's data in a neighbourhood collective.
[[nodiscard]] inline MPI_Count neighbours(const shared_group &group) noexcept {
    return group != nullptr ? static_cast<MPI_Count>(group->destinations) : 0;
}

template <class Count> [[nodiscard]] elements sum_of(const Count *counts, MPI_Count how_many,
                                                     const void *buffer, MPI_Datatype type) noexcept {
    if (buffer == MPI_IN_PLACE || counts == nullptr) {
        return {0, MPI_DATATYPE_NULL};
    }
    MPI_Count sum = 0;
    for (MPI_Count each = 0; each != how_many; ++each) {
        sum += counts[each];
    }
    return {sum, type};
}

} // namespace lisle::report
