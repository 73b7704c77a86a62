/* SPDX-License-Identifier: Apache-2.0 */
/* The atmosphere of ocean_atmosphere.cpp in C, on any number of ranks. The ocean is another program, in
 * Fortran:
 *
 *     mpirun -n 2 ocean : -n 3 atmosphere
 *
 * What they print is what ocean_atmosphere prints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lisle/couple.h>
#include <mpi.h>

enum { size = 64, water_size = 32, end = 200 };
static const double exchange = 0.02;

/* The rows that this rank has. */
struct part {
    int first, rows;
    double *air, *surface;
};

static void must(int code) {
    if (code != 0) {
        fprintf(stderr, "%s\n", lisle_couple_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static struct part part_of(int rank, int ranks) {
    struct part mine = {size * rank / ranks, 0, NULL, NULL};
    mine.rows = size * (rank + 1) / ranks - mine.first;
    mine.air = malloc(sizeof(double) * (size_t)(size * mine.rows));
    mine.surface = malloc(sizeof(double) * (size_t)(size * mine.rows));
    if (mine.air == NULL || mine.surface == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int at = 0; at < size * mine.rows; ++at) {
        mine.air[at] = 10;
    }
    return mine;
}

/* One point of water is four of air. */
static lisle_couple_weights *weights_of(const struct part *mine) {
    const int points = size * mine->rows;
    int64_t *const places = malloc(2 * sizeof(int64_t) * (size_t)points), *const sources = places + points;
    double *const factors = malloc(sizeof(double) * (size_t)points);
    if (places == NULL || factors == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int at = 0; at < points; ++at) {
        places[at] = at;
        sources[at] = (mine->first + at / size) / 2 * water_size + at % size / 2;
        factors[at] = 1;
    }
    lisle_couple_weights *made = NULL;
    must(lisle_couple_weights_make(points, places, sources, factors, &made));
    free(places);
    free(factors);
    return made;
}

static void declare(lisle_couple_component *self, const struct part *mine) {
    const int64_t grid[] = {size, size}, begin[] = {mine->first, 0}, extents[] = {mine->rows, size};
    lisle_couple_points *points = NULL;
    lisle_couple_weights *weights = weights_of(mine);
    lisle_couple_field *temperature = NULL, *surface = NULL;
    must(lisle_couple_points_block(2, grid, begin, extents, &points));
    must(lisle_couple_runs(self, 1, 0, end));
    must(lisle_couple_offers(self, "temperature", points, mine->air, MPI_DOUBLE, &temperature));
    must(lisle_couple_field_unit(temperature, "C"));
    must(lisle_couple_wants(self, "surface", points, mine->surface, MPI_DOUBLE, "ocean", &surface));
    must(lisle_couple_field_source(surface, "temperature"));
    must(lisle_couple_field_over_time(surface, LISLE_COUPLE_LINEAR));
    must(lisle_couple_field_weights(surface, weights));
    must(lisle_couple_field_unit(surface, "C"));
    must(lisle_couple_points_free(&points));
    must(lisle_couple_weights_free(&weights));
}

/* The wind blows to the right, stronger in the middle; the surface gives heat. Edges are joined. */
static void step(const struct part *mine) {
    for (int y = 0; y < mine->rows; ++y) {
        double old[size];
        double *const row = mine->air + y * size;
        const double *const below = mine->surface + y * size;
        const double wind = 0.2 + 0.5 * sin(3.14159265358979 * (mine->first + y) / size);
        memcpy(old, row, sizeof old);
        for (int x = 0; x < size; ++x) {
            row[x] = old[x] - wind * (old[x] - old[(x + size - 1) % size]) + exchange * (below[x] - old[x]);
        }
    }
}

static void tell(const struct part *mine, MPI_Comm comm, int rank) {
    double own = 0, all = 0;
    for (int at = 0; at < size * mine->rows; ++at) {
        own += mine->air[at];
    }
    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    if (rank == 0) {
        printf("heat of the atmosphere %.9f\n", all / (size * size));
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *const own[] = {"atmosphere"};
    lisle_couple_job *job = NULL;
    lisle_couple_component *self = NULL;
    MPI_Comm comm;
    int rank, ranks;
    must(lisle_couple_job_make(MPI_COMM_WORLD, 1, own, &job));
    must(lisle_couple_job_component(job, own[0], &self));
    must(lisle_couple_ranks(self, &comm));
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const struct part mine = part_of(rank, ranks);
    declare(self, &mine);
    must(lisle_couple_job_begin(job));
    while (!lisle_couple_is_at_end(self)) {
        must(lisle_couple_put(self, NULL));
        must(lisle_couple_get(self, NULL));
        must(lisle_couple_advance(self));
        step(&mine);
    }
    tell(&mine, comm, rank);
    must(lisle_couple_job_end(&job));
    free(mine.air);
    free(mine.surface);
    MPI_Finalize();
    return 0;
}
