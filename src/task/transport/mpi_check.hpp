// SPDX-License-Identifier: Apache-2.0
// Codes of MPI calls as exceptions, for what the task machine and model coupling send by MPI.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

namespace lisle::tasks {

/// Throws std::runtime_error with MPI's own text unless `code` is MPI_SUCCESS. @param call name of the call
inline void check(int code, const char *call) {
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPI_Error_string(code, text, &length);
        throw std::runtime_error{std::string{call} + ": " +
                                 std::string(text, static_cast<std::size_t>(length))};
    }
}

} // namespace lisle::tasks
