/* SPDX-License-Identifier: Apache-2.0
 * What the kernels of this folder have in common. They are as those of the NAS Parallel Benchmarks of the
 * same names, small, and compiled for Lisle's models as well as for SimGrid's SMPI: what they compute takes
 * as many cycles as they declare, which SMPI counts as flops of a host of as many a second. Each checks its
 * result. */
#ifndef LISLE_TILE_KERNEL_H
#define LISLE_TILE_KERNEL_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SMPI_H
static inline void compute(double cycles) {
    smpi_execute_flops(cycles);
}
#else
static inline void compute(double cycles) {
    MPIX_Tile_compute((MPI_Count)cycles);
}
#endif

/* A number in [0, 1) that depends on `which` alone. */
static inline double random_of(unsigned long which) {
    which = (which + 1) * 0x9e3779b97f4a7c15UL;
    which = (which ^ (which >> 30)) * 0xbf58476d1ce4e5b9UL;
    which = (which ^ (which >> 27)) * 0x94d049bb133111ebUL;
    return (double)((which ^ (which >> 31)) >> 11) / 9007199254740992.0;
}

/* The slowest rank's time is the kernel's. */
static inline void report(const char *kernel, double begun, int right) {
    double mine = MPI_Wtime() - begun, longest = 0;
    int rank, ranks, all = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s: %d ranks, %.6f s, %s\n", kernel, ranks, longest, all ? "right" : "WRONG");
        fflush(stdout);
    }
}

#endif
