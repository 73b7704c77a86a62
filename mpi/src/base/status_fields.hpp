// SPDX-License-Identifier: Apache-2.0
// What Lisle keeps in the part of a status that the standard leaves to a library: the bytes that arrived, and
// whether the operation was cancelled.
#pragma once

#include <cstdint>

#include "mpi.h"

namespace lisle {

inline void store_size(MPI_Status &status, MPI_Count bytes) noexcept {
    status.MPI_internal[0] = static_cast<int>(static_cast<std::uint64_t>(bytes) & 0xffffffff);
    status.MPI_internal[1] = static_cast<int>(static_cast<std::uint64_t>(bytes) >> 32);
}

[[nodiscard]] inline MPI_Count size_in(const MPI_Status &status) noexcept {
    const auto low = static_cast<std::uint32_t>(status.MPI_internal[0]);
    const auto high = static_cast<std::uint32_t>(status.MPI_internal[1]);
    return static_cast<MPI_Count>(std::uint64_t{high} << 32 | low);
}

inline void store_cancelled(MPI_Status &status, bool cancelled) noexcept {
    status.MPI_internal[2] = cancelled ? 1 : 0;
}

[[nodiscard]] inline bool cancelled_in(const MPI_Status &status) noexcept {
    return status.MPI_internal[2] != 0;
}

} // namespace lisle
