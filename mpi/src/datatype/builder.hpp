// SPDX-License-Identifier: Apache-2.0
// Builds types from others: the one place where bounds, layout and contents of a type are derived from those
// of its parts ([MPI-5.0 5.1.7]). A type map is what it adds up: bounds that nobody set are those of the
// data, rounded to the alignment; bounds that were set (resized, subarray, darray) are inherited, and then
// the data's own do not count.
#pragma once

#include <optional>

#include "datatype/datatype.hpp"

namespace lisle {

class type_builder {
  public:
    /// Appends `count` blocks, `stride` bytes apart, each of `blocklength` times `part`; the first
    /// begins at `displacement` bytes. Throws if the result leaves the range of MPI_Count.
    void add(const type_part &part, MPI_Count blocklength, MPI_Count displacement = 0, MPI_Count count = 1,
             MPI_Count stride = 0);

    /// The type of all that was added; the builder is empty afterwards.
    [[nodiscard]] type_part finish();

  private:
    struct span {
        MPI_Count lower, upper;
        void include(MPI_Count low, MPI_Count high);
    };
    layout blocks_of(const type_part &part, MPI_Count blocklength);

    // Of the data, and of the bounds that were set.
    std::optional<span> data_span_, padded_span_, set_span_;
    MPI_Count alignment_ = 1;
    MPI_Count elements_ = 0, external_size_ = 0;
    basic_type basic_ = basic_type::none;
    layout_list data_;
    // The last block: lists of equal blocks then share one nest.
    layout last_data_, last_block_;
    MPI_Count last_extent_ = 0, last_length_ = -1;
};

/// `part` with lower bound and extent set.
[[nodiscard]] type_part with_bounds(type_part part, MPI_Count lower, MPI_Count extent);

} // namespace lisle
