/* SPDX-License-Identifier: Apache-2.0
 * A message of 8 MiB that two threads of rank 0 fill, of which one has three times as much to compute as the
 * other, and that rank 1 checks: partitions that leave when they are ready, beside one message that leaves
 * when both threads have ended. Values are seconds from the begin of the computation until rank 1 has added
 * up all. */
#include "bench.h"
#include <pthread.h>

enum { threads = 2, partitions = 16, longs = 1 << 20, batches = 21 };

static long *data;
static MPI_Request request;
static int partitioned;
static volatile int rounds = 1;

/* Some work for each element; the second thread has three times as much. */
static void fill(int partition, int work) {
    const int size = longs / partitions;
    for (int i = 0; i < size; ++i) {
        unsigned long value = (unsigned long)(partition * size + i);
        for (int k = 0; k < work; ++k)
            value = value * 6364136223846793005UL + 1442695040888963407UL;
        data[partition * size + i] = (long)value;
    }
}

static void *fill_half(void *argument) {
    const int thread = *(const int *)argument, share = partitions / threads;
    for (int p = thread * share; p < (thread + 1) * share; ++p) {
        fill(p, (thread == 0 ? 3 : 9) * rounds);
        if (partitioned)
            MPI_Pready(p, request);
    }
    return NULL;
}

static void fill_all(void) {
    pthread_t other;
    int numbers[threads] = {0, 1};
    pthread_create(&other, NULL, fill_half, &numbers[1]);
    fill_half(&numbers[0]);
    pthread_join(other, NULL);
}

static volatile long checked;
static void check(int partition) {
    const int size = longs / partitions;
    long sum = 0;
    for (int i = 0; i < size; ++i)
        sum += data[partition * size + i];
    checked = sum;
}

static void receive_and_check(void) {
    if (!partitioned) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int p = 0; p < partitions; ++p)
            check(p);
        return;
    }
    int done[partitions] = {0};
    for (int left = partitions; left > 0;)
        for (int p = 0; p < partitions; ++p) {
            int arrived = 0;
            if (!done[p] && MPI_Parrived(request, p, &arrived) == MPI_SUCCESS && arrived) {
                check(p);
                done[p] = 1;
                --left;
            }
        }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double batch(int rank) {
    char answer = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (rank == 0) {
        if (partitioned)
            MPI_Start(&request);
        fill_all();
        if (!partitioned)
            MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&answer, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Start(&request);
        receive_and_check();
        MPI_Send(&answer, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - start;
}

int main(int argc, char **argv) {
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    data = aligned_alloc(4096, longs * sizeof *data);
    memset(data, 0, longs * sizeof *data);
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Send_init(data, longs, MPI_LONG, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Psend_init(data, partitions, longs / partitions, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[1]);
    } else {
        MPI_Recv_init(data, longs, MPI_LONG, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Precv_init(data, partitions, longs / partitions, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[1]);
    }
    double times[2][batches];
    for (int b = -2; b < batches; ++b)
        for (partitioned = 0; partitioned < 2; ++partitioned) {
            request = requests[partitioned];
            const double spent = batch(rank);
            requests[partitioned] = request;
            if (b >= 0)
                times[partitioned][b] = spent;
        }
    if (rank == 0) {
        bench_result("filled_then_sent", longs * (long)sizeof *data, bench_median(times[0], batches));
        bench_result("partitioned", longs * (long)sizeof *data, bench_median(times[1], batches));
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Finalize();
    return 0;
}
