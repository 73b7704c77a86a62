// SPDX-License-Identifier: Apache-2.0
// Walks the data of a typed buffer in order, from any byte on, and hands them out as pieces: many blocks of
// memory at a time wherever the layout is regular, so that callers have tight loops over blocks. All code
// that moves typed data uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "datatype/datatype.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle {

/// Blocks of memory that follow each other in data order. Block i of a row lies at base + offsets[i],
/// or at base + i * stride if there are no offsets; it has starts[i + 1] - starts[i] bytes, or `length`.
/// Rows repeat, `row_stride` bytes apart.
struct piece {
    std::uintptr_t base = 0;
    const std::int32_t *offsets = nullptr;
    const MPI_Count *starts = nullptr;
    MPI_Count stride = 0;
    MPI_Count length = 0;
    MPI_Count count = 0;
    MPI_Count rows = 1;
    MPI_Count row_stride = 0;

    /// Block `i` of the first row.
    [[nodiscard]] std::byte *block(MPI_Count i) const noexcept {
        const MPI_Count offset = offsets != nullptr ? offsets[i] : i * stride;
        return reinterpret_cast<std::byte *>(base + static_cast<std::uintptr_t>(offset));
    }
    [[nodiscard]] MPI_Count block_length(MPI_Count i) const noexcept {
        return starts != nullptr ? starts[i + 1] - starts[i] : length;
    }
    /// Data bytes of a row before block `i`.
    [[nodiscard]] MPI_Count block_start(MPI_Count i) const noexcept {
        return starts != nullptr ? starts[i] - starts[0] : i * length;
    }
    [[nodiscard]] MPI_Count row_bytes() const noexcept { return block_start(count); }
    [[nodiscard]] MPI_Count bytes() const noexcept { return rows * row_bytes(); }
    /// The first `n` rows. What is left must be dropped by drop_rows.
    [[nodiscard]] piece first_rows(MPI_Count n) const noexcept {
        piece result = *this;
        result.rows = n;
        return result;
    }
    void drop_rows(MPI_Count n) noexcept {
        rows -= n;
        base += static_cast<std::uintptr_t>(n) * static_cast<std::uintptr_t>(row_stride);
    }
    /// Forgets the first `n` blocks. @pre one row
    void drop(MPI_Count n) noexcept;
    /// Number of whole blocks, from the first on, that `most` bytes can hold. @pre one row
    [[nodiscard]] MPI_Count whole_blocks(MPI_Count most) const noexcept;
};

/// See the file's head. Keeps pointers into the buffer's type, which must outlive it.
class cursor {
  public:
    /// Starts `offset` bytes of data after the buffer's first. @pre 0 <= offset <= buffer.bytes()
    cursor(const typed_buffer &buffer, MPI_Count offset);

    /// The next piece, of at least one byte and at most `most`: whole rows, or whole blocks of one, or
    /// a part of one block. @pre `most` > 0 and so many bytes are left
    [[nodiscard]] piece take(MPI_Count most);

  private:
    // A nest that the walk is in: a loop over `part`, or `list`'s parts.
    struct frame {
        const nest *list;
        const layout *part;
        std::uintptr_t base;
        MPI_Count stride, index, count;
    };
    static constexpr int usual_depth = 8;

    void enter(const layout &part, std::uintptr_t base, MPI_Count skip);
    void enter_rows(const nest &row, std::uintptr_t base, MPI_Count stride, MPI_Count count, MPI_Count skip);
    void next();
    void push(const frame &added) noexcept { frames_[depth_++] = added; }

    // Whole rows that are still to come, and before them the rest of the row that is begun.
    piece rows_, rest_;
    // Bytes of rest_'s first block that are taken already.
    MPI_Count skip_ = 0;
    int depth_ = 0;
    frame *frames_;
    std::unique_ptr<frame[]> deep_;
    // Left uninitialised on purpose: small messages come through here.
    std::array<frame, usual_depth> shallow_;
};

} // namespace lisle
