/* SPDX-License-Identifier: Apache-2.0
 * Ping-pong of 8 bytes, and reductions of one number, while another process computes on every core: what
 * ranks lose that offer their core, or that sleep, where somebody takes it. The other processes do not call
 * MPI. Means, not medians: most messages meet nobody, and the few that do are what is measured. */
#include "bench.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { batches = 9, rounds = 3000, most_cores = 64 };

/* A process for each core that the ranks may use, which does nothing but compute; how many. */
static int start_others(pid_t *others) {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    const int cores = CPU_COUNT(&allowed) < most_cores ? CPU_COUNT(&allowed) : most_cores;
    for (int i = 0; i < cores; ++i) {
        others[i] = fork();
        if (others[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            bench_pin(i, cores);
            for (volatile unsigned long turns = 0;; ++turns) {
            }
        }
    }
    return cores;
}

static double reductions(int rank) {
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
        double sum = 0, own = rank;
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / rounds;
}

int main(int argc, char **argv) {
    const int rank = bench_start(&argc, &argv, 2);
    pid_t others[most_cores];
    char out[8] = {0}, in[8];
    double messages = 0, sums = 0;
    const int count = rank == 0 ? start_others(others) : 0;
    usleep(200000); /* until the others compute */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < batches; ++i) {
        messages += bench_round_trips(rank, out, in, sizeof out, rounds);
        sums += reductions(rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    if (rank == 0) {
        bench_result("beside_messages", 8, messages / batches);
        bench_result("beside_sums", 8, sums / batches);
    }
    MPI_Finalize();
    return 0;
}
