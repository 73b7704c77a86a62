// SPDX-License-Identifier: Apache-2.0
// What messages about types say of one: how many elements, and what the first basic elements of each are.
// Plain bytes, which other ranks read.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "datatype/basic_type.hpp"
#include "mpi.h"

namespace lisle {

class datatype;

struct type_outline {
    /// Several elements of one representation in a row.
    struct run {
        basic_type basic = basic_type::none;
        std::uint32_t count = 0; ///< as many or, if it is the greatest number, more
    };
    static constexpr std::size_t most_runs = 6;

    MPI_Count elements = 0; ///< of the type
    std::array<run, most_runs> runs{};
    std::uint8_t whole = 1; ///< the runs are all of one element
};

[[nodiscard]] type_outline outline_of(const datatype &type, MPI_Count elements);
/// Of `bytes` bytes of data of one representation.
[[nodiscard]] type_outline outline_of(basic_type basic, MPI_Count bytes);

/// "3 MPI_INT", "2 of {MPI_INT, 3 MPI_DOUBLE}", by the names that types have in C.
[[nodiscard]] std::string in_words(const type_outline &what);

} // namespace lisle
