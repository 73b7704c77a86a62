/* SPDX-License-Identifier: Apache-2.0
 * A file of two ranks, in memory (/dev/shm) so that no disk decides: 16 MiB of each rank in one piece, and in
 * blocks of 4 KiB and of 64 bytes that alternate between the ranks, written and read by both together; 8
 * bytes by one rank alone, at a place and at the shared pointer; opening and closing. Open MPI reads and
 * writes by OMPIO, its own. */
#include "bench.h"

#include <unistd.h>

enum { batches = 11, bytes_of_rank = 16 << 20, short_calls = 200 };

static char path[64];

static MPI_File open_file(void) {
    MPI_File file;
    if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) !=
        MPI_SUCCESS) {
        fprintf(stderr, "%s cannot be opened\n", path);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return file;
}

/* Bytes in a second of both ranks, by the slower one. */
static double moved(MPI_File file, MPI_Offset at, char *data, int writes) {
    double spent, longest;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (writes)
        MPI_File_write_at_all(file, at, data, bytes_of_rank, MPI_CHAR, MPI_STATUS_IGNORE);
    else
        MPI_File_read_at_all(file, at, data, bytes_of_rank, MPI_CHAR, MPI_STATUS_IGNORE);
    spent = MPI_Wtime() - start;
    MPI_Allreduce(&spent, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return 2.0 * bytes_of_rank / longest;
}

/* @param block how many bytes lie together; 0: all of a rank */
static void measure(int rank, char *data, int block) {
    MPI_File file = open_file();
    MPI_Datatype part = MPI_CHAR;
    MPI_Offset at = (MPI_Offset)rank * bytes_of_rank;
    if (block != 0) {
        MPI_Datatype blocks;
        MPI_Type_vector(bytes_of_rank / block, block, 2 * block, MPI_CHAR, &blocks);
        MPI_Type_create_resized(blocks, 0, 2 * (MPI_Aint)bytes_of_rank, &part);
        MPI_Type_commit(&part);
        MPI_Type_free(&blocks);
        MPI_File_set_view(file, (MPI_Offset)rank * block, MPI_CHAR, part, "native", MPI_INFO_NULL);
        at = 0;
    }
    for (int writes = 1; writes >= 0; --writes) {
        double rates[batches];
        moved(file, at, data, writes);
        for (int i = 0; i < batches; ++i)
            rates[i] = moved(file, at, data, writes);
        if (rank == 0)
            bench_result(writes ? "file_write" : "file_read", block, bench_median(rates, batches));
    }
    MPI_File_close(&file);
    if (block != 0)
        MPI_Type_free(&part);
}

static void measure_short(int rank) {
    double alone[batches], shared[batches], opened[batches];
    MPI_File file = open_file();
    long value = rank;
    for (int b = -1; b < batches; ++b) {
        double start = MPI_Wtime();
        for (int i = 0; i < short_calls && rank == 0; ++i)
            MPI_File_write_at(file, 8 * i, &value, 1, MPI_LONG, MPI_STATUS_IGNORE);
        if (b >= 0)
            alone[b] = (MPI_Wtime() - start) / short_calls;
        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        for (int i = 0; i < short_calls; ++i)
            MPI_File_write_shared(file, &value, 1, MPI_LONG, MPI_STATUS_IGNORE);
        if (b >= 0)
            shared[b] = (MPI_Wtime() - start) / short_calls;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    for (int b = -1; b < batches; ++b) {
        const double start = MPI_Wtime();
        file = open_file();
        MPI_File_close(&file);
        if (b >= 0)
            opened[b] = MPI_Wtime() - start;
    }
    if (rank == 0) {
        bench_result("file_write_at", 8, bench_median(alone, batches));
        bench_result("file_write_shared", 8, bench_median(shared, batches));
        bench_result("file_open_close", 2, bench_median(opened, batches));
    }
}

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    int job = (int)getpid();
    MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/dev/shm/lisle-bench-%d", job);
    char *data = malloc(bytes_of_rank);
    memset(data, rank + 1, bytes_of_rank);
    measure(rank, data, 0);
    measure(rank, data, 4096);
    measure(rank, data, 64);
    measure_short(rank);
    free(data);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(path);
    MPI_Finalize();
    return 0;
}
