// SPDX-License-Identifier: Apache-2.0
// What the bytes of a datatype's data mean: their basic elements, in data order. Needed where counts
// are in basic elements (MPI_Get_elements) and where representations change (external32).
#pragma once

#include <vector>

#include "datatype/predefined.hpp"

namespace lisle {

/// Number of basic elements in the first `bytes` bytes of the data of an array of `type`.
/// MPI_UNDEFINED if they end inside a basic element (or if the type has no data and bytes > 0).
[[nodiscard]] MPI_Count elements_in(const datatype &type, MPI_Count bytes) noexcept;

/// The inverse: bytes of data in the first `elements` basic elements of an array of `type`.
/// MPI_UNDEFINED if the type has no data and elements > 0. Throws mpi_error on overflow.
[[nodiscard]] MPI_Count bytes_of_elements(const datatype &type, MPI_Count elements);

/// Goes through the data of `count` elements of a type, predefined type by predefined type.
class element_walk {
  public:
    element_walk(const datatype &type, MPI_Count count);

    /// `count` times the predefined type `facts`; null at the end.
    struct step {
        const predefined_facts *facts;
        MPI_Count count;
    };
    [[nodiscard]] step next();

  private:
    // A structure that the walk is in: `copies` are left, this one included, and `member` comes next.
    struct frame {
        const datatype *structure;
        MPI_Count copies;
        std::size_t member;
    };
    step descend(const datatype *type, MPI_Count count);

    // Not recursion: users may nest structures deeper than the stack.
    std::vector<frame> frames_;
    step first_;
};

} // namespace lisle
