// SPDX-License-Identifier: Apache-2.0
// A rank is killed while it holds an exclusive lock that the others wait for: they get an error, or the
// launcher stops the job. The test's command says which of the two it expects; nobody waits for ever, and
// nobody gets the lock.
#include "window.hpp"

#include <csignal>

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const window_of<int> window(flavour::allocated, 1);
    CHECK_MPI(MPI_Win_set_errhandler(window.handle(), MPI_ERRORS_RETURN));
    if (job.rank == 1) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.handle()));
        for (int rank = 0; rank < job.size; ++rank)
            if (rank != job.rank)
                CHECK_MPI(MPI_Ssend(nullptr, 0, MPI_INT, rank, 0, MPI_COMM_WORLD));
        std::raise(SIGKILL);
    }
    CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    const int code = MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.handle());
    CHECK(code != MPI_SUCCESS); // the holder never gave it back
    std::printf("rank %d is told: %s\n", job.rank, check::error_text(code).c_str());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 21); // there is no way to free the window
}
