// SPDX-License-Identifier: Apache-2.0
// The runs of a file that several ranks ask for, each byte once, and their data one after the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "file/descriptor.hpp"

namespace lisle::file {

class run_union {
  public:
    /// @param lists each in ascending order
    explicit run_union(std::vector<std::span<const file_run>> lists);

    /// Ascending, with gaps between them.
    [[nodiscard]] const std::vector<file_run> &runs() const noexcept { return runs_; }
    [[nodiscard]] MPI_Count bytes() const noexcept { return bytes_; }
    /// Where byte number `place` of the data lies in the file. @pre place < bytes()
    [[nodiscard]] MPI_Offset offset_at(MPI_Count place) const;

    /// Finds where among the data runs have their place, if they are asked for in ascending order.
    class finder {
      public:
        explicit finder(const run_union &in) noexcept : in_{in} {}
        /// @pre the run is a part of the union
        [[nodiscard]] std::size_t place_of(const file_run &run) noexcept;

      private:
        const run_union &in_;
        std::size_t index_ = 0;
        MPI_Count before_ = 0; ///< bytes of the runs before that one
    };

  private:
    void add(const file_run &run);

    std::vector<file_run> runs_;
    MPI_Count bytes_ = 0;
};

} // namespace lisle::file
