// SPDX-License-Identifier: Apache-2.0
// Introductions that overlap: ranks of one process meet other jobs together while others of them have met
// them already, or are alone with one more; two threads of each rank meet at the same time. What one of them
// ends, the others may still count on.
#include "check.hpp"

#include <cstring>
#include <thread>

namespace {

MPI_Comm spawn_child(const char *program, MPI_Comm comm) {
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, comm, &inter, MPI_ERRCODES_IGNORE));
    return inter;
}

void hear_child(MPI_Comm inter) {
    int word = 0;
    CHECK_MPI(MPI_Recv(&word, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
    CHECK_EQ(word, 7);
}

/// Tells each parent the same, and ends.
void child(MPI_Comm parents) {
    int count = 0;
    CHECK_MPI(MPI_Comm_remote_size(parents, &count));
    const int word = 7;
    for (int parent = 0; parent < count; ++parent)
        CHECK_MPI(MPI_Send(&word, 1, MPI_INT, parent, 0, parents));
    CHECK_MPI(MPI_Comm_disconnect(&parents));
}

/// All ranks spawn, and one goes on to spawn alone while the others are not done yet.
void together_and_alone(const check::job &job, const char *program, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        MPI_Comm inter = spawn_child(program, MPI_COMM_WORLD);
        if (job.rank == round % job.size) {
            MPI_Comm own = spawn_child(program, MPI_COMM_SELF);
            hear_child(own);
            CHECK_MPI(MPI_Comm_disconnect(&own));
        }
        hear_child(inter);
        CHECK_MPI(MPI_Comm_disconnect(&inter));
    }
}

/// Two threads of each rank spawn, each on a communicator of its own.
void two_threads(const char *program, int rounds) {
    MPI_Comm comm[2];
    for (MPI_Comm &each : comm)
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &each));
    const auto work = [&](int which) {
        for (int round = 0; round < rounds; ++round) {
            MPI_Comm inter = spawn_child(program, comm[which]);
            hear_child(inter);
            CHECK_MPI(MPI_Comm_disconnect(&inter));
        }
    };
    std::thread other{work, 1};
    work(0);
    other.join();
    for (MPI_Comm &each : comm)
        CHECK_MPI(MPI_Comm_free(&each));
}

/// Two threads of each rank of the first half accept on ports of their own; the ranks of the second half
/// connect, each for itself, to one port after the other.
void accepts(const check::job &job, int rounds) {
    const int servers = (job.size + 1) / 2, clients = job.size - servers;
    const bool serves = job.rank < servers;
    char port[2][MPI_MAX_PORT_NAME] = {};
    for (auto &each : port) {
        if (job.rank == 0)
            CHECK_MPI(MPI_Open_port(MPI_INFO_NULL, each));
        CHECK_MPI(MPI_Bcast(each, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD));
    }
    MPI_Comm half = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, serves ? 0 : 1, job.rank, &half));
    if (serves) {
        MPI_Comm comm[2];
        for (MPI_Comm &each : comm)
            CHECK_MPI(MPI_Comm_dup(half, &each));
        const auto serve = [&](int which) {
            for (int round = 0; round < rounds * clients; ++round) {
                MPI_Comm client = MPI_COMM_NULL;
                CHECK_MPI(MPI_Comm_accept(port[which], MPI_INFO_NULL, 0, comm[which], &client));
                if (job.rank == 0)
                    hear_child(client);
                CHECK_MPI(MPI_Comm_disconnect(&client));
            }
        };
        std::thread other{serve, 1};
        serve(0);
        other.join();
        for (MPI_Comm &each : comm)
            CHECK_MPI(MPI_Comm_free(&each));
    } else {
        for (int round = 0; round < 2 * rounds; ++round) {
            MPI_Comm server = MPI_COMM_NULL;
            const int word = 7;
            CHECK_MPI(
                MPI_Comm_connect(port[(round + job.rank) % 2], MPI_INFO_NULL, 0, MPI_COMM_SELF, &server));
            CHECK_MPI(MPI_Send(&word, 1, MPI_INT, 0, 0, server));
            CHECK_MPI(MPI_Comm_disconnect(&server));
        }
    }
    CHECK_MPI(MPI_Comm_free(&half));
    if (job.rank == 0)
        for (auto &each : port)
            CHECK_MPI(MPI_Close_port(each));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv, MPI_THREAD_MULTIPLE};
    MPI_Comm parents = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_get_parent(&parents));
    if (parents != MPI_COMM_NULL) {
        child(parents);
        return 0;
    }
    const int rounds = std::getenv("CHECK_ROUNDS") != nullptr ? std::atoi(std::getenv("CHECK_ROUNDS")) : 4;
    together_and_alone(job, argv[0], rounds);
    two_threads(argv[0], rounds);
    accepts(job, rounds);
}
