// SPDX-License-Identifier: Apache-2.0
// Each rank starts a thread that receives from everybody, sends to everybody, and joins its thread: a rank
// that waits for its thread must leave the processor to the ranks and threads that it waits for.
#include "check.hpp"

#include <cstdlib>
#include <thread>

namespace {

constexpr int tag = 111;

void receive_from_all(int ranks) {
    for (int i = 0; i < ranks; ++i) {
        int value = 0;
        MPI_Status status;
        CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status));
        CHECK_EQ(value, status.MPI_SOURCE);
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv, MPI_THREAD_MULTIPLE};
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
    for (int round = 0; round < rounds; ++round) {
        std::thread listener{receive_from_all, job.size};
        for (int to = 0; to < job.size; ++to)
            CHECK_MPI(MPI_Send(&job.rank, 1, MPI_INT, to, tag, MPI_COMM_WORLD));
        listener.join();
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
}
