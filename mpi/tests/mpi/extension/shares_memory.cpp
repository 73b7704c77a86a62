// SPDX-License-Identifier: Apache-2.0
// MPIX_Comm_shares_memory says "yes" exactly for the ranks of one process: the pointer that such a rank sends
// can be followed.
#include "../check.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    const int process = static_cast<int>(syscall(SYS_getpid));
    std::vector<int> processes(static_cast<std::size_t>(job.size));
    CHECK_MPI(MPI_Allgather(&process, 1, MPI_INT, processes.data(), 1, MPI_INT, MPI_COMM_WORLD));

    int word = 1000 + job.rank;
    int *address = &word;
    std::vector<int *> addresses(static_cast<std::size_t>(job.size));
    CHECK_MPI(MPI_Allgather(&address, 1, MPI_AINT, addresses.data(), 1, MPI_AINT, MPI_COMM_WORLD));

    MPI_Comm reversed = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, 0, -job.rank, &reversed));
    for (int rank = 0; rank < job.size; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        int shares = -1;
        CHECK_MPI(MPIX_Comm_shares_memory(MPI_COMM_WORLD, rank, &shares));
        CHECK_EQ(shares != 0, processes[index] == process);
        if (shares != 0)
            CHECK_EQ(*addresses[index], 1000 + rank);
        int again = -1;
        CHECK_MPI(MPIX_Comm_shares_memory(reversed, job.size - 1 - rank, &again));
        CHECK_EQ(again, shares);
    }
    CHECK_MPI(MPI_Comm_free(&reversed));

    int flag = 0;
    CHECK_ERROR(MPI_ERR_RANK, MPIX_Comm_shares_memory(MPI_COMM_WORLD, job.size, &flag));
    CHECK_ERROR(MPI_ERR_RANK, MPIX_Comm_shares_memory(MPI_COMM_WORLD, MPI_PROC_NULL, &flag));
    CHECK_ERROR(MPI_ERR_ARG, MPIX_Comm_shares_memory(MPI_COMM_WORLD, 0, nullptr));
    // Nobody's word goes before the last rank has read it.
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    return 0;
}
