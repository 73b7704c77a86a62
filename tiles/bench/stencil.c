/* SPDX-License-Identifier: Apache-2.0
 * A square grid in stripes of rows: each step relaxes the own stripe, which takes this machine's time,
 * exchanges its first and last row with the neighbours, and adds up the change. Usage: stencil [columns]
 * [steps] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double relax(const double *from, double *to, int rows, int columns) {
    double change = 0;
    for (int row = 1; row <= rows; ++row) {
        for (int column = 1; column < columns - 1; ++column) {
            const double *const at = from + (size_t)row * (size_t)columns + column;
            const double next = 0.25 * (at[-1] + at[1] + at[-columns] + at[columns]);
            change += (next - *at) * (next - *at);
            to[(size_t)row * (size_t)columns + (size_t)column] = next;
        }
    }
    return change;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int columns = argc > 1 ? atoi(argv[1]) : 1024, steps = argc > 2 ? atoi(argv[2]) : 200;
    const int rows = columns / ranks;
    const size_t bytes = (size_t)(rows + 2) * (size_t)columns * sizeof(double);
    double *grid = malloc(bytes), *next = malloc(bytes);
    memset(grid, 0, bytes);
    for (int column = 0; column < columns; ++column) {
        grid[column] = rank == 0 ? 1 : 0; /* the upper edge is warm */
    }
    memcpy(next, grid, bytes);
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double change = 0, sum = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        change = relax(grid, next, rows, columns);
        double *const first = next + columns, *const last = next + (size_t)rows * (size_t)columns;
        MPI_Sendrecv(first, columns, MPI_DOUBLE, up, 0, last + columns, columns, MPI_DOUBLE, down, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(last, columns, MPI_DOUBLE, down, 1, next, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *const swapped = grid;
        grid = next;
        next = swapped;
    }
    const double took = MPI_Wtime() - begun;
    if (rank == 0) {
        printf("stencil: %d ranks, %.6f s, %s\n", ranks, took, sum > 0 && sum < 1 ? "right" : "WRONG");
    }
    free(grid);
    free(next);
    MPI_Finalize();
    return 0;
}
