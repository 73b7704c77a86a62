// SPDX-License-Identifier: Apache-2.0
// Ranks that look for a message in loops of their own do not starve the one that is to send it: it waits, in
// a blocking call, for a rank elsewhere, and has to run again although all others of its core are always
// busy.
#include "../check.hpp"

#include <chrono>
#include <thread>

namespace {

constexpr int rounds = 20;

void wait_by_looking(int round, MPI_Comm comm) {
    int arrived = 0;
    while (arrived == 0)
        CHECK_MPI(MPI_Iprobe(0, round, comm, &arrived, MPI_STATUS_IGNORE));
    int word = -1;
    CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, 0, round, comm, MPI_STATUS_IGNORE));
    CHECK_EQ(word, round);
}

void wait_by_testing(int round, MPI_Comm comm) {
    int word = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(&word, 1, MPI_INT, 0, round, comm, &request));
    for (int complete = 0; complete == 0;)
        CHECK_MPI(MPI_Test(&request, &complete, MPI_STATUS_IGNORE));
    CHECK_EQ(word, round);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    const int last = job.size - 1;
    for (int round = 0; round < rounds; ++round) {
        int word = round;
        if (job.rank == last) {
            // Late, so that rank 0 really waits.
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 0, round, MPI_COMM_WORLD));
            wait_by_testing(round, MPI_COMM_WORLD);
        } else if (job.rank != 0) {
            (job.rank % 2 != 0 ? wait_by_looking : wait_by_testing)(round, MPI_COMM_WORLD);
        } else {
            CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, last, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int rank = 1; rank < job.size; ++rank)
                CHECK_MPI(MPI_Send(&word, 1, MPI_INT, rank, round, MPI_COMM_WORLD));
        }
    }
    return 0;
}
