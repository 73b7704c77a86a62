// SPDX-License-Identifier: Apache-2.0
// How the operations on an area move data that are longer than a processor's caches.
//
// Back and forth: every other operation goes through long data from the end to the beginning, and through its
// buffers in the reverse order. So it begins with what the operation before has used last, which is still in
// the caches, where one that always begins at the beginning finds what it needs just pushed out. What the
// program wrote last and what it reads first tend to be there, too.
// Past the caches: where all ranks together move more than the last cache holds, results would push
// each other out of it before anybody reads them, so copies do not fetch the lines that they fill.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/copy_bytes.hpp"
#include "datatype/copy.hpp"

namespace lisle::collective {

/// How one operation moves its long data: see the file's head.
struct manner {
    bool backwards = false;
    bool past_caches = false;
};

/// @param number of the operation on its area
constexpr bool goes_backwards(std::uint64_t number) noexcept {
    return number % 2 != 0;
}

/// Data that are moved in one piece: some fit a processor's own cache.
constexpr MPI_Count most_at_one_go = 262144;
/// The same for the kernel, each call of which takes some microseconds.
constexpr MPI_Count most_at_one_call = 1048576;

/// Calls `move(offset, length)` for the pieces of [offset, offset + length) until it returns false; returns
/// whether it never did. @param backwards the last piece first
template <class Move>
bool move_pieces(MPI_Count piece, bool backwards, MPI_Count offset, MPI_Count length, Move move) {
    const MPI_Count pieces = (length + piece - 1) / piece;
    for (MPI_Count i = 0; i < pieces; ++i) {
        const MPI_Count done = (backwards ? pieces - 1 - i : i) * piece;
        if (!move(offset + done, std::min(piece, length - done))) {
            return false;
        }
    }
    return true;
}

/// The same for data that can be moved at one go: cut into pieces only to be moved backwards.
template <class Move>
bool move_long(MPI_Count piece, bool backwards, MPI_Count offset, MPI_Count length, Move move) {
    return !backwards || length <= piece ? move(offset, length)
                                         : move_pieces(piece, true, offset, length, move);
}

/// lisle::copy(), in this manner if both buffers are contiguous.
inline void copy_long(manner how, const typed_buffer &from, const typed_buffer &to, MPI_Count offset,
                      MPI_Count length) {
    if (!from.type->contiguous() || !to.type->contiguous()) {
        lisle::copy(from, to, offset, length);
        return;
    }
    move_long(most_at_one_go, how.backwards, offset, length, [&](MPI_Count at, MPI_Count bytes) {
        auto *const there = static_cast<std::byte *>(to.address) + at;
        const auto *const here = static_cast<const std::byte *>(from.address) + at;
        const auto many = static_cast<std::size_t>(bytes);
        how.past_caches ? copy_past_caches(there, here, many) : copy_bytes(there, here, many);
        return true;
    });
}

} // namespace lisle::collective
