/* SPDX-License-Identifier: Apache-2.0
 * CG: conjugate gradients for the Laplacian on a square grid, of which each rank has a square part: four
 * neighbours exchange edges, and two sums of all ranks, in each of 25 steps. In the end the residual is that
 * of the solution. Usage: cg [points of a rank's edge] */
#include "kernel.h"

#include <math.h>

static int edge, around[4];
static MPI_Comm grid;

static double *field(void) {
    return calloc((size_t)(edge + 2) * (size_t)(edge + 2), sizeof(double));
}
static int at(int row, int column) {
    return row * (edge + 2) + column;
}

static void exchange(double *of, double *room) {
    for (int dimension = 0; dimension < 2; ++dimension) {
        for (int side = 0; side < 2; ++side) { /* to one side, from the other */
            double *const out = room, *const in = room + edge;
            const int give = side ? edge : 1, take = side ? 0 : edge + 1;
            for (int i = 0; i < edge; ++i) {
                out[i] = of[dimension ? at(i + 1, give) : at(give, i + 1)];
                in[i] = 0;
            }
            MPI_Sendrecv(out, edge, MPI_DOUBLE, around[2 * dimension + side], side, in, edge, MPI_DOUBLE,
                         around[2 * dimension + 1 - side], side, grid, MPI_STATUS_IGNORE);
            for (int i = 0; i < edge; ++i) {
                of[dimension ? at(i + 1, take) : at(take, i + 1)] = in[i];
            }
        }
    }
}

/* to = A of */
static void apply(double *of, double *to, double *room) {
    exchange(of, room);
    for (int i = 1; i <= edge; ++i) {
        for (int j = 1; j <= edge; ++j) {
            to[at(i, j)] =
                4 * of[at(i, j)] - of[at(i - 1, j)] - of[at(i + 1, j)] - of[at(i, j - 1)] - of[at(i, j + 1)];
        }
    }
    compute(5.0 * edge * edge);
}

static double product(const double *one, const double *other) {
    double mine = 0, all = 0;
    for (int i = 1; i <= edge; ++i) {
        for (int j = 1; j <= edge; ++j) {
            mine += one[at(i, j)] * other[at(i, j)];
        }
    }
    compute(2.0 * edge * edge);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
    return all;
}

int main(int argc, char **argv) {
    int ranks, rank, sides[2] = {0, 0}, open[2] = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    edge = argc > 1 ? atoi(argv[1]) : 64;
    MPI_Dims_create(ranks, 2, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, open, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &around[0], &around[1]);
    MPI_Cart_shift(grid, 1, 1, &around[2], &around[3]);
    double *const x = field(), *const r = field(), *const p = field(), *const q = field();
    double *const b = field();
    double *const room = malloc(2 * (size_t)edge * sizeof *room);
    for (int i = 1; i <= edge; ++i) {
        for (int j = 1; j <= edge; ++j) {
            r[at(i, j)] = p[at(i, j)] = b[at(i, j)] = random_of(
                ((unsigned long)rank * (unsigned long)edge + (unsigned long)i) * (unsigned long)edge +
                (unsigned long)j);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    double rest = product(r, r);
    for (int step = 0; step < 25; ++step) {
        apply(p, q, room);
        const double length = rest / product(p, q);
        for (int i = 1; i <= edge; ++i) {
            for (int j = 1; j <= edge; ++j) {
                x[at(i, j)] += length * p[at(i, j)];
                r[at(i, j)] -= length * q[at(i, j)];
            }
        }
        const double next = product(r, r);
        for (int i = 1; i <= edge; ++i) {
            for (int j = 1; j <= edge; ++j) {
                p[at(i, j)] = r[at(i, j)] + next / rest * p[at(i, j)];
            }
        }
        compute(6.0 * edge * edge);
        rest = next;
    }
    apply(x, q, room);
    int right = 1;
    for (int i = 1; i <= edge; ++i) {
        for (int j = 1; j <= edge; ++j) {
            right = right && fabs(b[at(i, j)] - q[at(i, j)] - r[at(i, j)]) < 1e-9;
        }
    }
    report("cg", begun, right);
    free(x), free(r), free(p), free(q), free(b), free(room);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
