/* SPDX-License-Identifier: Apache-2.0
 * Ranks that sleep, read clocks, wait with limits, and look again and again, while messages go round. Checks
 * that what they see is one time, which passes as they ask for it. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int wrong = 0;

static void check(int right, const char *what, double value) {
    if (!right) {
        ++wrong;
        printf("%s: %.9f\n", what, value);
    }
}

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_for_a_while(int rank) {
    const double begin = MPI_Wtime();
    usleep(300 + 100 * (unsigned)rank);
    const struct timespec hour = {3600, 0};
    if (rank == 0) {
        nanosleep(&hour, NULL);
    }
    const double asked = 300e-6 + 100e-6 * rank + (rank == 0 ? 3600 : 0);
    const double took = MPI_Wtime() - begin;
    check(took >= asked && took < asked + 1e-4, "a sleep took", took);
}

static void wait_with_a_limit(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    const double begin = seconds_of(CLOCK_MONOTONIC);
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&nobody, &mutex, &end) == 0) {
    }
    pthread_mutex_unlock(&mutex);
    const double took = seconds_of(CLOCK_MONOTONIC) - begin;
    check(took >= 9.99 && took < 10.01, "a wait of 10 s took", took);
}

static void look_until(double seconds) {
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end) {
    }
    struct timeval now;
    gettimeofday(&now, NULL);
    const double until = (double)now.tv_sec + seconds;
    while (seconds_of(CLOCK_REALTIME) < until - 1) {
        sched_yield();
    }
}

static void pass_a_token(int rank, int size, int rounds) {
    int token = 0;
    for (int i = 0; i < rounds; ++i) {
        if (rank == 0) {
            MPI_Send(&token, 1, MPI_INT, 1 % size, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Request request;
            MPI_Irecv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, &request);
            for (int done = 0; !done;) {
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                if (!done && rank % 2 != 0) {
                    usleep(20);
                }
            }
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv) {
    int rank, size, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sleep_for_a_while(rank);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody looks again and again for an hour */
    pass_a_token(rank, size, 20);
    wait_with_a_limit();
    look_until(rank == 1 ? 200e-6 : 50e-6);
    MPI_Barrier(MPI_COMM_WORLD);
    const double passed = seconds_of(CLOCK_MONOTONIC);
    check(passed > 3610 && passed < 3611, "the run has taken", passed);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d ranks: %d times are wrong\n", size, all);
    }
    MPI_Finalize();
    return all != 0;
}
