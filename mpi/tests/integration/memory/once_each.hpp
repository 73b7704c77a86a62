// SPDX-License-Identifier: Apache-2.0
// Lets an allocation fail now and then, of the ranks in turn, in calls that all ranks make in the same order.
// Such a call works at all ranks, as it waits for memory. To be started with counted_allocations loaded
// first.
#pragma once

#include <mpi.h>

#include "counted_allocations.hpp"

/// Makes a call, with one allocation of one of the ranks failing.
template <class Call, class... Arguments> int make(Call call, const Arguments &...arguments) {
    constexpr unsigned most = 16; // allocations of a call
    static int rank = -1, size = 0;
    static unsigned calls = 0;
    if (rank < 0) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    const auto ranks = static_cast<unsigned>(size);
    const bool is_poor = calls % ranks == static_cast<unsigned>(rank);
    const unsigned number = calls++ / ranks * 7 % most + 1;
    counted_begin(is_poor ? static_cast<long>(number) : 0);
    const int code = call(arguments...);
    counted_end();
    return code;
}
