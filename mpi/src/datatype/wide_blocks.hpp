// SPDX-License-Identifier: Apache-2.0
// Blocks of some hundred bytes at equal distances, as the rows of a matrix's part are, on processors with
// loads and stores of 32 bytes (AVX2): a call of memcpy for each costs as much as a fifth of the copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi.h"

namespace lisle {

/// Blocks of bytes at base + i * stride.
struct strided_blocks {
    std::uintptr_t base;
    MPI_Count stride;
    std::byte *operator()(MPI_Count i) const noexcept {
        return reinterpret_cast<std::byte *>(base + static_cast<std::uintptr_t>(i * stride));
    }
    /// The same from block `i` on.
    [[nodiscard]] strided_blocks from(MPI_Count i) const noexcept {
        return {base + static_cast<std::uintptr_t>(i * stride), stride};
    }
};

/// True if the processor can, and if it pays for blocks of so many bytes.
[[nodiscard]] bool moves_wide(std::size_t length) noexcept;

/// Copies `count` blocks of `length` bytes. No byte beside them is read or written.
/// @pre moves_wide(length), and no target overlaps anything else
void move_wide(strided_blocks to, strided_blocks from, std::size_t length, MPI_Count count) noexcept;

} // namespace lisle
