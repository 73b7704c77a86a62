// SPDX-License-Identifier: Apache-2.0
// Runs the rows of one group (process_state GROUP KIND FOLDER) and prints a line for each: its name, and what
// all ranks found, or "differs" if they do not agree.
#include "rows.hpp"

#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace rows {

int rank, size;
bool are_processes;
bool are_fibers;
std::string folder;

void meet() {
    MPI_Barrier(MPI_COMM_WORLD);
}

outcome is_own(bool holds) {
    return holds ? outcome::own : outcome::shared;
}

outcome of_call(long result, bool holds) {
    return result == -1 && errno == ENOTSUP ? outcome::refused : is_own(holds);
}

int in_child(const std::function<int()> &body) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

outcome attempt(const std::function<long()> &call) {
    if (are_processes) {
        return is_own(in_child([&] { return call() == -1 && errno == ENOTSUP ? 1 : 0; }) == 0);
    }
    return of_call(call());
}

std::string named(const std::string &what) {
    return what + std::to_string(rank);
}

} // namespace rows

int main(int argc, char **argv) {
    using namespace rows;
    const std::map<std::string, const std::vector<row> *> groups{
        {"files", &of_files},     {"process", &of_process}, {"children", &of_children},
        {"library", &of_library}, {"texts", &of_texts},     {"cxx", &of_cxx}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4 || groups.count(argv[1]) == 0) {
        std::fprintf(stderr, "usage: process_state GROUP KIND FOLDER\n");
        return 2;
    }
    are_processes = std::string(argv[2]) == "process";
    are_fibers = std::string(argv[2]) == "fiber";
    folder = argv[3];
    for (const row &each : *groups.at(argv[1])) {
        const int found = static_cast<int>(each.check());
        int least = 0;
        int most = 0;
        MPI_Allreduce(&found, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&found, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (rank == 0) {
            const char *const words[] = {"own", "shared", "refused"};
            std::printf("%s: %s\n", each.name, least == most ? words[least] : "differs");
        }
    }
    MPI_Finalize();
    return 0;
}
