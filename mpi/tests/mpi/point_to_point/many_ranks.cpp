// SPDX-License-Identifier: Apache-2.0
// Many more ranks than cores: barriers, a ring and reductions still get on.
#include "payload.hpp"

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    for (int i = 0; i < 20; ++i)
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));

    const int right = (job.rank + 1) % job.size;
    const int left = (job.rank + job.size - 1) % job.size;
    for (int round = 0; round < 5; ++round) {
        int token = 0;
        if (job.rank != 0)
            CHECK_MPI(MPI_Recv(&token, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        ++token;
        if (job.size > 1)
            CHECK_MPI(MPI_Send(&token, 1, MPI_INT, right, 0, MPI_COMM_WORLD));
        if (job.rank == 0 && job.size > 1)
            CHECK_MPI(MPI_Recv(&token, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (job.rank == 0)
            CHECK_EQ(token, job.size);
    }

    for (int i = 0; i < 20; ++i) {
        const int mine = job.rank + i;
        int sum = 0;
        CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sum, job.size * (job.size - 1) / 2 + i * job.size);
    }
}
