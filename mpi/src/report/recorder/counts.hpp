// SPDX-License-Identifier: Apache-2.0
// How much the calls of collectives move that have a count for each rank.
#pragma once

#include "report/recorder/call.hpp"

namespace lisle::report {

[[nodiscard]] inline MPI_Count all_ranks(const shared_group &group) noexcept {
    return group != nullptr ? static_cast<MPI_Count>(group->peers.size()) : 0;
}

template <class Count> [[nodiscard]] elements sum_of(const Count *counts, const shared_group &group,
                                                     const void *buffer, MPI_Datatype type) noexcept {
    if (buffer == MPI_IN_PLACE || counts == nullptr) {
        return {0, MPI_DATATYPE_NULL};
    }
    MPI_Count sum = 0;
    for (MPI_Count rank = 0; rank != all_ranks(group); ++rank) {
        sum += counts[rank];
    }
    return {sum, type};
}

} // namespace lisle::report
