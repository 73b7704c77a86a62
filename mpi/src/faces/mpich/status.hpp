// SPDX-License-Identifier: Apache-2.0
// Statuses of MPICH's binary interface. The size has 63 bits; the lowest of its upper word says that the
// operation was cancelled.
#pragma once

#include <cstdint>

#include "mpi.h"

namespace lisle::face {

struct their_status {
    std::uint32_t count_low;
    std::uint32_t count_high_and_cancelled;
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;

    [[nodiscard]] MPI_Count size() const noexcept {
        return static_cast<MPI_Count>(count_high_and_cancelled >> 1) << 32 | count_low;
    }
    void set_size(MPI_Count size) noexcept {
        const auto bits = static_cast<std::uint64_t>(size);
        count_low = static_cast<std::uint32_t>(bits);
        count_high_and_cancelled =
            static_cast<std::uint32_t>(bits >> 32) << 1 | (count_high_and_cancelled & 1);
    }
    [[nodiscard]] bool is_cancelled() const noexcept { return (count_high_and_cancelled & 1) != 0; }
    void set_cancelled(bool yes) noexcept {
        count_high_and_cancelled = (count_high_and_cancelled & ~1U) | (yes ? 1U : 0U);
    }
};
static_assert(sizeof(their_status) == 20);

} // namespace lisle::face
