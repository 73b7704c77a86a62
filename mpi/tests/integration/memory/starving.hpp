// SPDX-License-Identifier: Apache-2.0
// Lets the allocations of a collective call fail one after the other, at each rank in turn, and looks whether
// the call then fails at all ranks with MPI_ERR_NO_MEM, or at none.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <functional>

#include "counted_allocations.hpp"

namespace starving {

struct ranks {
    int self = 0;
    int size = 1;
};

struct scenario {
    const char *name;
    std::function<int()> call; ///< what may fail
    std::function<int()> undo; ///< frees what the call made
};

inline int wrong = 0;

template <class Value> void complain(const scenario &about, const ranks &here, int poor, long number,
                                     const char *what, Value value) {
    std::fprintf(stderr, "%s at rank %d, allocation %ld of rank %d fails: %s %ld\n", about.name, here.self,
                 number, poor, what, static_cast<long>(value));
    ++wrong;
}

inline int class_of(int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class;
}

inline void complain_of(int code) {
    char said[MPI_MAX_ERROR_STRING]{};
    int length = 0;
    MPI_Error_string(code, said, &length);
    std::fprintf(stderr, "  %s\n", said);
}

/// Makes the call with one allocation of one rank failing, and looks at what the others say.
/// @return how many allocations that rank made
inline long call_with(const scenario &about, const ranks &here, int poor, long number, bool &failed) {
    counted_begin(here.self == poor ? number : 0);
    const int code = about.call();
    long made = counted_end();
    const int error_class = class_of(code);
    int least = 0, most = 0;
    MPI_Allreduce(&error_class, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&error_class, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (most != MPI_SUCCESS && most != MPI_ERR_NO_MEM) {
        complain(about, here, poor, number, "the error class is", error_class);
    } else if (least != most) {
        complain(about, here, poor, number, "ranks differ, the error class here is", error_class);
    }
    if (error_class != MPI_SUCCESS && error_class != MPI_ERR_NO_MEM) {
        complain_of(code);
    }
    failed = most != MPI_SUCCESS;
    if (error_class == MPI_SUCCESS && about.undo() != MPI_SUCCESS) {
        complain(about, here, poor, number, "what the call made cannot be freed", 0);
    }
    MPI_Bcast(&made, 1, MPI_LONG, poor, MPI_COMM_WORLD);
    return made;
}

/// Lets the allocations of one rank fail one after the other. @param step tries one of so many
/// @return how often the call has failed
inline long exhaust(const scenario &about, const ranks &here, int poor, long step = 1) {
    constexpr long most = 1000;
    long failures = 0;
    for (long number = 1; number <= most; number += step) {
        bool failed = false;
        const long made = call_with(about, here, poor, number, failed);
        failures += failed ? 1 : 0;
        if (made < number) {
            return failures;
        }
    }
    complain(about, here, poor, most, "the call still allocates:", most);
    return failures;
}

} // namespace starving
