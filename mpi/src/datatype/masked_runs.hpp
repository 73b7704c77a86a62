// SPDX-License-Identifier: Apache-2.0
// Runs of many lengths, as an MPI_Type_indexed has, on processors that load and store any number of bytes up
// to 64 with one instruction (AVX-512BW): nothing has to be guessed about the lengths.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi.h"

namespace lisle {

/// Runs of bytes at base + offsets[i], of starts[i + 1] - starts[i] bytes each.
struct listed_runs {
    std::uintptr_t base;
    const std::int32_t *offsets;
    const MPI_Count *starts;
    MPI_Count count;
};

/// True if the processor can.
[[nodiscard]] bool moves_masked() noexcept;

/// Copies the runs to one place, one after the other, or back. No byte beside them is read or written.
/// @pre moves_masked()
void pack_masked(std::byte *packed, const listed_runs &runs) noexcept;
void unpack_masked(const std::byte *packed, const listed_runs &runs) noexcept;

} // namespace lisle
