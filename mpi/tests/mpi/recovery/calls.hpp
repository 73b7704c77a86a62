// SPDX-License-Identifier: Apache-2.0
// The calls that every_call.cpp makes after and during a death, as tables: a row names the functions that it
// covers, what they need, and how they end.
#pragma once

#include "after_death.hpp"

#include <array>
#include <span>

namespace recovery {

/// What a row is given. Made before the death, for each row alone, so that what one leaves behind no other
/// meets.
struct surroundings {
    const losing_job &job;
    int dead;                      ///< a rank that is lost
    int other;                     ///< one that is not, the next one
    MPI_Comm comm = MPI_COMM_NULL; ///< of all ranks; a ring of them, or an inter-communicator, where wanted
    MPI_Comm part = MPI_COMM_NULL; ///< of the survivors, or of the lost ones
    MPI_Win window = MPI_WIN_NULL;
    MPI_File file = MPI_FILE_NULL;
    std::array<int, 4096> give{}, take{};
    std::array<int, 64> counts{}, places{};
    std::array<MPI_Datatype, 64> types{};
};

enum class need { all, ring, inter, window, file };
/// How a call ends at survivors who know of the death.
enum class end {
    fails,  ///< with MPIX_ERR_PROC_FAILED at each of them
    works,  ///< with success
    either, ///< one or the other
};

struct row {
    const char *functions; ///< separated by blanks; the first is the row's name
    need what;
    end how;
    int (*call)(surroundings &);
};

std::span<const row> message_calls();
std::span<const row> collective_calls();
std::span<const row> communicator_calls();
std::span<const row> window_calls();
std::span<const row> file_calls();

/// Completes a request that was started with success.
inline int finish(int error, MPI_Request &request) {
    return error != MPI_SUCCESS ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
}
/// Starts and completes a persistent request, and frees it.
inline int finish_persistent(int error, MPI_Request &request) {
    if (error != MPI_SUCCESS)
        return error;
    error = MPI_Start(&request);
    if (error == MPI_SUCCESS)
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return error;
}

} // namespace recovery
