// SPDX-License-Identifier: Apache-2.0
// last_lines WAY END: each rank prints a line, without passing it on, and then rank 1 ends the job, or says
// that it is ready and waits for its end. The ways are `stdio`, `cout`, `own_cout` (std::cout with a buffer
// of its own), `asking` (rank 0 prints a question, without an end of line, while a thread of its own waits
// for the answer, and ends the job) and `computing` (rank 0 prints a line, and then computes for ever).
#include <mpi.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace {

[[noreturn]] void wait_for_ever() {
    std::fputs("ready\n", stderr);
    for (;;) {
        pause();
    }
}

void end(std::string_view end) {
    if (end == "abort") {
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else if (end == "exit") {
        std::exit(3);
    } else if (end == "error") {
        MPI_Send(nullptr, 0, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD);
    } else if (end == "fault") {
        std::raise(SIGSEGV);
    } else if (end == "kill") {
        std::raise(SIGKILL);
    }
    wait_for_ever();
}

void print(std::string_view way, int rank) {
    if (way == "stdio" || way == "computing") {
        std::printf("printed by rank %d\n", rank);
    } else if (way != "asking") {
        std::cout << "printed by rank " << rank << '\n';
    }
}

void ask() {
    std::thread{[] { std::getchar(); }}.detach();
    while (ftrylockfile(stdin) == 0) { // until the thread has it
        funlockfile(stdin);
        std::this_thread::yield();
    }
    std::printf("what next? ");
}

} // namespace

int main(int argc, char **argv) {
    const std::string_view way = argc > 2 ? argv[1] : "stdio";
    if (way == "own_cout") {
        std::ios::sync_with_stdio(false);
    }
    int provided = 0;
    int rank = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    print(way, rank);
    if (rank == 0 && way == "asking") {
        ask();
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 0 && way == "computing") {
        MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (std::atomic<unsigned> computed{0};; ++computed) {
        }
    } else if (way == "computing") {
        MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // rank 0 has printed
        // From now on it may have the worker for ever.
        MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        end("abort");
    }
    MPI_Barrier(MPI_COMM_WORLD); // all have printed
    if (rank == 1) {
        end(argc > 2 ? argv[2] : "abort");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
