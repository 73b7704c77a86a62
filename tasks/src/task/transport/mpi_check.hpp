// SPDX-License-Identifier: Apache-2.0
// Codes of MPI calls as exceptions, for what the task machine sends by MPI.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Everybody's number, in the order of ranks. Collective.
inline std::vector<std::uint64_t> gather_numbers(MPI_Comm comm, std::uint64_t mine) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
    constexpr int bytes = sizeof mine;
    check(MPI_Allgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm), "MPI_Allgather");
    return all;
}

} // namespace lisle::tasks
