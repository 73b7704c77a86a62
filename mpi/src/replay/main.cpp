// SPDX-License-Identifier: Apache-2.0
// lisle-replay, an MPI program that makes the calls of a trace again (lislerun --replay-trace).
#include <cstdio>
#include <exception>
#include <string>

#include "mpi.h"
#include "replay/player/player.hpp"
#include "replay/trace/trace.hpp"

namespace {

using namespace lisle::replay;

void replay(const char *file, int rank, int size) {
    const trace read{file};
    if (size != read.ranks()) {
        throw trace_error{"the trace has " + std::to_string(read.ranks()) + " ranks, and the job has " +
                          std::to_string(size)};
    }
    if (rank == 0 && !read.left_out().empty()) {
        std::fprintf(stderr, "lisle-replay: %s leaves out what cannot be replayed: %s\n", file,
                     std::string{read.left_out()}.c_str());
    }
    player{read.record_of(rank)}.play();
}

} // namespace

int main(int count, char **words) {
    if (count != 2) {
        std::fprintf(stderr, "usage: lislerun --replay-trace FILE\n");
        return 2;
    }
    int rank = 0, size = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    try {
        replay(words[1], rank, size);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lisle-replay: %s: rank %d: %s\n", words[1], rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
