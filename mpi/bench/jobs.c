/* SPDX-License-Identifier: Apache-2.0
 * Other jobs: two ranks start two children of this program, all four talk, and part. The seconds of starting
 * them (until the spawn has returned on both sides), of a message of 8 bytes and one of 1 MiB to a child
 * (half of a round trip), and of leaving; then of an accept and connect between the two ranks themselves,
 * each alone, as jobs meet that were started apart. By hand, with any MPI. */
#include "bench.h"

enum { children = 2, starts = 15, meets = 101, short_trips = 4000, long_trips = 200, million = 1 << 20 };

static double started[starts], left[starts], met[meets];

/* Half of the time of a round trip with the other side's rank 0. */
static double trip(MPI_Comm other, int bytes, int count, char *room, int first) {
    double halves[5];
    for (int b = 0; b < 5; ++b) {
        const double start = MPI_Wtime();
        for (int i = 0; i < count / 5; ++i) {
            if (first)
                MPI_Send(room, bytes, MPI_BYTE, 0, 0, other);
            MPI_Recv(room, bytes, MPI_BYTE, 0, 0, other, MPI_STATUS_IGNORE);
            if (!first)
                MPI_Send(room, bytes, MPI_BYTE, 0, 0, other);
        }
        halves[b] = (MPI_Wtime() - start) / (count / 5) / 2;
    }
    return bench_median(halves, 5);
}

static void talk(MPI_Comm other, int first) {
    char *room = calloc(1, million);
    const double eight = trip(other, 8, short_trips, room, first);
    const double large = trip(other, million, long_trips, room, first);
    free(room);
    if (first) {
        bench_result("child_latency", 8, eight);
        bench_result("child_latency", million, large);
    }
}

static void child(MPI_Comm parent, int talks) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (talks && rank == 0)
        talk(parent, 0);
    MPI_Comm_disconnect(&parent);
}

static void start_children(const char *program, int rank) {
    for (int i = -1; i < starts; ++i) {
        MPI_Comm jobs;
        char *talks[] = {"talks", NULL};
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        MPI_Comm_spawn(program, i < 0 ? talks : MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                       &jobs, MPI_ERRCODES_IGNORE);
        const double there = MPI_Wtime();
        if (i < 0 && rank == 0)
            talk(jobs, 1);
        const double leave = MPI_Wtime();
        MPI_Comm_disconnect(&jobs);
        if (i >= 0) {
            started[i] = there - start;
            left[i] = MPI_Wtime() - leave;
        }
    }
    if (rank == 0) {
        bench_result("spawn", children, bench_median(started, starts));
        bench_result("disconnect", children, bench_median(left, starts));
    }
}

static void meet(int rank) {
    char port[MPI_MAX_PORT_NAME] = "";
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < meets; ++i) {
        MPI_Comm other;
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (rank == 0)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        met[i] = MPI_Wtime() - start;
        MPI_Comm_disconnect(&other);
    }
    if (rank == 0) {
        MPI_Close_port(port);
        bench_result("accept", 1, bench_median(met, meets));
    }
}

int main(int argc, char **argv) {
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        child(parent, argc > 1);
    } else {
        int rank, ranks;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        if (ranks != 2) {
            fprintf(stderr, "jobs: wants 2 ranks, not %d\n", ranks);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        start_children(argv[0], rank);
        meet(rank);
    }
    MPI_Finalize();
    return 0;
}
