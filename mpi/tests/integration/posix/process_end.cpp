// SPDX-License-Identifier: Apache-2.0
// How ranks end (process_end HOW FOLDER): each says what runs then, and keeps a file open that it has not
// flushed.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <string>
#include <unistd.h>

namespace {

int rank;

struct last {
    ~last() { std::printf("%d static\n", rank); }
};
last of_program;

void at_exit() {
    std::printf("%d atexit\n", rank);
}
void at_quick() {
    std::printf("%d quick\n", rank);
    std::fflush(stdout);
}
void with_status(int status, void *) {
    std::printf("%d on_exit %d\n", rank, status);
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::string how = argv[1];
    std::atexit(at_exit);
    std::at_quick_exit(at_quick);
    on_exit(with_status, nullptr);
    std::FILE *const left_open = std::fopen((std::string(argv[2]) + "/" + std::to_string(rank)).c_str(), "w");
    std::fputs("held back", left_open);
    MPI_Finalize();
    if (how == "exit") {
        std::exit(0);
    }
    if (how == "status") {
        std::exit(rank == 1 ? 7 : 0);
    }
    if (how == "_exit") {
        _exit(0);
    }
    if (how == "quick_exit") {
        std::quick_exit(0);
    }
    if (how == "pthread_exit") {
        pthread_exit(nullptr);
    }
    if (how == "abort" && rank == 0) {
        std::abort();
    }
    return 0;
}
