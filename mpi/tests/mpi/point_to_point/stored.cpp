// SPDX-License-Identifier: Apache-2.0
// Blocking sends that nobody receives before the last one: a library that stores what comes finds room for
// them while there is memory.
#include "check.hpp"

#include <vector>

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    constexpr int messages = 60000;
    constexpr int elements = 500; // 120 MB in all
    std::vector<int> data(elements);
    if (job.rank == 1) {
        for (int i = 0; i < messages; ++i) {
            data.front() = i;
            CHECK_MPI(MPI_Send(data.data(), elements, MPI_INT, 0, 7, MPI_COMM_WORLD));
        }
        CHECK_MPI(MPI_Send(data.data(), 1, MPI_INT, 0, 8, MPI_COMM_WORLD));
    }
    if (job.rank == 0) {
        CHECK_MPI(MPI_Recv(data.data(), 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < messages; ++i) {
            CHECK_MPI(MPI_Recv(data.data(), elements, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(data.front(), i);
        }
    }
}
