// SPDX-License-Identifier: Apache-2.0
// A root of short broadcasts runs ahead: it does many before any other rank has entered the first one.
// Two ranks exchange in another way (pair.hpp).
#include "check.hpp"

namespace {

constexpr int count = 16;

void broadcast_all(const check::job &job, int root) {
    for (long i = 0; i < count; ++i) {
        long data = job.rank == root ? 100 * root + i : -1;
        CHECK_MPI(MPI_Bcast(&data, 1, MPI_LONG, root, MPI_COMM_WORLD));
        CHECK_EQ(data, 100 * root + i);
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    for (int root = 0; root < job.size; ++root) {
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        if (job.rank == root) {
            broadcast_all(job, root);
            for (int to = 0; to < job.size; ++to) {
                if (to != root) {
                    CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, to, 0, MPI_COMM_WORLD));
                }
            }
        } else {
            CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, root, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            broadcast_all(job, root);
        }
    }
}
