// SPDX-License-Identifier: Apache-2.0
// Checked arithmetic on sizes and displacements of datatypes. Both come from the user, so a sum or product
// that would leave the range of MPI_Count is an error.
#pragma once

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

[[nodiscard]] inline MPI_Count checked_sum(MPI_Count a, MPI_Count b) {
    MPI_Count result;
    if (__builtin_add_overflow(a, b, &result)) [[unlikely]] {
        fail(MPI_ERR_ARG, "the datatype's displacements leave the range of MPI_Count (", a, " + ", b, ")");
    }
    return result;
}

[[nodiscard]] inline MPI_Count checked_difference(MPI_Count a, MPI_Count b) {
    MPI_Count result;
    if (__builtin_sub_overflow(a, b, &result)) [[unlikely]] {
        fail(MPI_ERR_ARG, "the datatype's displacements leave the range of MPI_Count (", a, " - ", b, ")");
    }
    return result;
}

[[nodiscard]] inline MPI_Count checked_product(MPI_Count a, MPI_Count b) {
    MPI_Count result;
    if (__builtin_mul_overflow(a, b, &result)) [[unlikely]] {
        fail(MPI_ERR_COUNT, "the datatype's size or extent leaves the range of MPI_Count (", a, " x ", b,
             ")");
    }
    return result;
}

} // namespace lisle
