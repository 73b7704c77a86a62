// SPDX-License-Identifier: Apache-2.0
// Where a datatype's data lie in memory, in data order, without what they mean: the compact program
// that copies run through. A layout is a run of bytes, or a nest: a loop over an inner layout, a list
// of runs, or a list of layouts. Nests are immutable and shared by all types made from one another.
// Invariant: no nest is empty or has a single part, and a nest's first byte lies at its offset 0; so
// the depth of nests grows with the logarithm of the data, except for lists in lists of bounded length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi.h"

namespace lisle {

struct nest;

/// A run of `size` bytes that begins at `offset`, or `inner` placed there. Size 0: no data.
struct layout {
    MPI_Count offset = 0;
    MPI_Count size = 0;
    std::shared_ptr<const nest> inner;

    [[nodiscard]] bool is_run() const noexcept { return inner == nullptr; }
    [[nodiscard]] int depth() const noexcept;
    /// Number of runs of bytes, also where there are no data.
    [[nodiscard]] MPI_Count runs() const noexcept;
};

enum class nest_shape : std::uint8_t {
    loop, ///< `count` times `part`, `stride` bytes apart
    runs, ///< runs of bytes at `offsets`, which are near enough to each other
    parts ///< `parts` at their own offsets
};

/// See layout.
struct nest {
    nest_shape shape = nest_shape::loop;
    /// Nests on the longest way from here to a run, this one included.
    int depth = 1;
    /// Runs of bytes, all in all.
    MPI_Count runs = 0;
    /// Parts: of the loop, or in the list.
    MPI_Count count = 0;
    /// Loop: from one part to the next.
    MPI_Count stride = 0;
    /// Data bytes of each part; lists whose parts differ have `starts` instead.
    MPI_Count length = 0;
    layout part;
    /// Half of what a byte count has, since such lists are as long as the data that they tell of.
    std::vector<std::int32_t> offsets;
    /// Data bytes before each part, and the total: count + 1 numbers. Empty if all have one length.
    std::vector<MPI_Count> starts;
    std::vector<layout> parts;

    /// True if the parts are runs of bytes.
    [[nodiscard]] bool flat() const noexcept {
        return shape == nest_shape::runs || (shape == nest_shape::loop && part.is_run());
    }
};

/// Bytes of a run of a list. @pre the nest's shape is `runs`
[[nodiscard]] inline MPI_Count run_length(const nest &list, std::size_t run) noexcept {
    return list.starts.empty() ? list.length : list.starts[run + 1] - list.starts[run];
}

inline int layout::depth() const noexcept {
    return inner ? inner->depth : 0;
}

inline MPI_Count layout::runs() const noexcept {
    return inner ? inner->runs : 1;
}

/// `count` times `part`, `stride` bytes apart; as simple as can be (a run if the parts touch).
[[nodiscard]] layout repeat(const layout &part, MPI_Count count, MPI_Count stride);
[[nodiscard]] layout shifted(const layout &part, MPI_Count by);

/// Joins layouts in data order to one, merging what touches.
class layout_list {
  public:
    void add(layout part);
    /// The layout of all that was added; the list is empty afterwards.
    [[nodiscard]] layout finish();

  private:
    [[nodiscard]] bool try_loop(layout &result) const;
    void expand();
    void equalize();
    std::vector<layout> parts_;
};

} // namespace lisle
