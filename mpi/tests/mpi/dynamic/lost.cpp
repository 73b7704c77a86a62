// SPDX-License-Identifier: Apache-2.0
// A child that dies: what needs it fails at its parents, and the rest goes on.
#include "check.hpp"

#include <csignal>

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    MPI_Comm parents = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_get_parent(&parents));
    if (parents != MPI_COMM_NULL) {
        if (job.rank == 1)
            std::raise(SIGKILL);
        int never = 0;
        MPI_Recv(&never, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // until the job is stopped
        return 1;
    }
    CHECK_MPI(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                             MPI_ERRCODES_IGNORE));
    CHECK_MPI(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    int word = 0;
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPI_Recv(&word, 1, MPI_INT, 1, 0, inter, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, MPI_Recv(&word, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
    int mine = 1, sum = 0;
    CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, job.size);
    CHECK_MPI(MPI_Comm_free(&inter));
}
