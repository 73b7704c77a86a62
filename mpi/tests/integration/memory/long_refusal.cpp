// SPDX-License-Identifier: Apache-2.0
// The system refuses one rank's memory for longer than a user watches in silence, for a call that the others
// count on: the rank says that it waits, and goes on. To be started with counted_allocations loaded first.
#include <mpi.h>

#include <cstdio>

#include "counted_allocations.hpp"

int main(int argc, char **argv) {
    constexpr double seconds = 7; // the library speaks after 5
    MPI_Init(&argc, &argv);
    int self = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (self == 1) {
        counted_begin_refusing(1, seconds);
    }
    int sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&self, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const long refused = self == 1 ? counted_end() : 1;
    MPI_Finalize();
    if (refused == 0 || sum != size * (size - 1) / 2) {
        std::fprintf(stderr, "rank %d: %ld allocations, the sum is %d\n", self, refused, sum);
        return 1;
    }
    return 0;
}
