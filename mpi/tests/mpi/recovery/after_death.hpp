// SPDX-License-Identifier: Apache-2.0
// A job with recovery (lislerun --with-ft ulfm) that loses its last process: what the programs of this folder
// have in common.
#pragma once

#include "../check.hpp"

#include <csignal>
#include <cstdlib>

namespace recovery {

/// The ranks that end together: those of the last process.
struct losing_job : check::job {
    losing_job(int *argc, char ***argv) : check::job{argc, argv} {
        CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
        MPI_Comm process = MPI_COMM_NULL;
        CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &process));
        int last = rank;
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, process));
        int width = 0;
        CHECK_MPI(MPI_Comm_size(process, &width));
        CHECK_MPI(MPI_Comm_free(&process));
        doomed = last == size - 1;
        alive = size - width;
    }
    /// Ends the process of the calling rank. For a doomed one alone.
    [[noreturn]] static void die() {
        std::raise(SIGKILL);
        std::abort();
    }
    /// All ranks come; those that are doomed end, when all others have come.
    void lose_doomed() const {
        const int last = size - 1;
        if (!doomed) {
            CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, last, ready_tag, MPI_COMM_WORLD));
            return;
        }
        for (int from = 0; rank == last && from < alive; ++from)
            CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, from, ready_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (rank != last)
            MPI_Recv(nullptr, 0, MPI_INT, last, death_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // in vain
        die();
    }
    /// Returns when the calling rank has noticed that all doomed ones are gone.
    void await_death() const {
        for (int gone = alive; gone < size; ++gone) {
            int nothing = 0;
            CHECK_ERROR(MPIX_ERR_PROC_FAILED,
                        MPI_Recv(&nothing, 1, MPI_INT, gone, death_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
    }

    bool doomed = false;
    int alive = 0; ///< ranks 0 to alive - 1 survive

  private:
    static constexpr int death_tag = 30'000, ready_tag = 30'001;
};

} // namespace recovery
