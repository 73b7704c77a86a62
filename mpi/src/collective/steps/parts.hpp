// SPDX-License-Identifier: Apache-2.0
// Parts of a vector, without its data being touched.
#pragma once

#include <algorithm>
#include <cstdint>

#include "datatype/typed_buffer.hpp"

namespace lisle::collective {

/// Elements [first, first + count) of a buffer. @pre within it
[[nodiscard]] inline typed_buffer part(const typed_buffer &buffer, MPI_Count first,
                                       MPI_Count count) noexcept {
    // Integer arithmetic: a buffer may be MPI_BOTTOM with a type of absolute addresses.
    const auto address = reinterpret_cast<std::intptr_t>(buffer.address) + first * buffer.type->extent();
    return {reinterpret_cast<const void *>(address), count, *buffer.type};
}
/// Piece `index` of a vector that is cut into `pieces` of nearly equal length.
[[nodiscard]] inline typed_buffer piece_of(const typed_buffer &vector, int index, int pieces) noexcept {
    const MPI_Count each = vector.count / pieces, more = vector.count % pieces;
    const auto begin = [&](MPI_Count piece) { return piece * each + std::min(piece, more); };
    return part(vector, begin(index), begin(index + 1) - begin(index));
}

/// Pieces [first, first + count) of a vector that is cut into `pieces`.
[[nodiscard]] inline typed_buffer pieces_of(const typed_buffer &vector, int first, int count,
                                            int pieces) noexcept {
    typed_buffer all = piece_of(vector, first, pieces);
    all.count = 0;
    for (int i = 0; i < count; ++i) {
        all.count += piece_of(vector, first + i, pieces).count;
    }
    return all;
}

} // namespace lisle::collective
