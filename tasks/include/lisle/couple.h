/* SPDX-License-Identifier: Apache-2.0 */
/* Model coupling for C: the calls of lisle/couple/job.hpp, whose headers say more. The Fortran module
 * (couple.f90) and the Python module (lisle_couple.py) are made of them. See docs/coupling.md.
 *
 * A call returns 0, or -1 with a sentence in lisle_couple_message(). Handles are made by one call and freed
 * by another; those of components and fields live as long as their job. Arrays and names that a call is given
 * are copied, but for the memory of fields. The threads of a rank take turns with these calls.
 *
 *     lisle_couple_job_make(MPI_COMM_WORLD, 1, (const char *[]){"ocean"}, &job);
 *     lisle_couple_job_component(job, "ocean", &ocean);
 *     lisle_couple_runs(ocean, 4, 0, 200);
 *     lisle_couple_points_block(2, grid, begin, extents, &mine);
 *     lisle_couple_offers(ocean, "temperature", mine, water, MPI_DOUBLE, NULL);
 *     lisle_couple_wants(ocean, "heat", mine, flux, MPI_DOUBLE, "atmosphere", &heat);
 *     lisle_couple_field_over_time(heat, LISLE_COUPLE_MEAN);
 *     if (lisle_couple_job_begin(job) != 0)
 *         stop(lisle_couple_message());
 *     while (!lisle_couple_is_at_end(ocean)) {
 *         lisle_couple_put(ocean, NULL);
 *         lisle_couple_get(ocean, NULL);
 *         lisle_couple_advance(ocean);
 *         step(water, flux);
 *     }
 *     lisle_couple_job_end(&job);
 */
#ifndef LISLE_COUPLE_H
#define LISLE_COUPLE_H

#include <stdint.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lisle_couple_job lisle_couple_job;
typedef struct lisle_couple_component lisle_couple_component;
typedef struct lisle_couple_field lisle_couple_field;
typedef struct lisle_couple_points lisle_couple_points;
typedef struct lisle_couple_cells lisle_couple_cells;
typedef struct lisle_couple_weights lisle_couple_weights;
typedef struct lisle_couple_elements lisle_couple_elements;
typedef struct lisle_couple_fixed_point lisle_couple_fixed_point;

/* What happened in the rank's last call that failed; valid until the next one that fails. */
const char *lisle_couple_message(void);

/* ---- points: which ones of a grid the caller has, in the order of its memory ---- */

/* A part of a grid of one to three dimensions, whose last one is dense. */
int lisle_couple_points_block(int dimensions, const int64_t grid[], const int64_t begin[],
                              const int64_t extents[], lisle_couple_points **points);
/* By number, from 0; none: a rank without points. */
int lisle_couple_points_list(int64_t grid_points, int64_t count, const int64_t numbers[],
                             lisle_couple_points **points);
/* Leaves out the points at the places whose entry is not 0; their places in memory stay.
 * count: of the entries, as many as there are places. */
int lisle_couple_points_mask(lisle_couple_points *points, int64_t count, const unsigned char left_out[]);
int lisle_couple_points_free(lisle_couple_points **points);

/* ---- weights: the caller's rows of a sparse matrix, for fields that are regridded ---- */

/* Entries: the caller's place, the point of the sender's grid, the factor. None: a rank without rows. */
int lisle_couple_weights_make(int64_t count, const int64_t places[], const int64_t sources[],
                              const double factors[], lisle_couple_weights **weights);

enum lisle_couple_normalisation {
    LISLE_COUPLE_WHOLE_AREA,  /* integrals agree ("destarea") */
    LISLE_COUPLE_COVERED_AREA /* constants stay what they are ("fracarea") */
};
/* Collective over the ranks of both grids: first-order conservative weights.
 * period: of x, where the plane is a cylinder; 0: it is none. */
int lisle_couple_weights_overlap(MPI_Comm all, const lisle_couple_cells *from, const lisle_couple_cells *to,
                                 int normalisation, double period, lisle_couple_weights **weights);
/* How many entries there are, and of how many cells of the receiver it is known which part is covered (0
 * unless they were made from cells). */
int lisle_couple_weights_size(const lisle_couple_weights *weights, int64_t *entries, int64_t *cells);
int lisle_couple_weights_entries(const lisle_couple_weights *weights, int64_t places[], int64_t sources[],
                                 double factors[]);
int lisle_couple_weights_covered(const lisle_couple_weights *weights, double covered[]);
/* The caller's places that get nothing, of bilinear and nearest weights. places: null, or room for *count. */
int lisle_couple_weights_missed(const lisle_couple_weights *weights, int64_t *count, int64_t places[]);
int lisle_couple_weights_free(lisle_couple_weights **weights);

/* Cells that the caller has, convex polygons in a plane of equal areas. number: of the sender's the number in
 * its grid, of the receiver's the place in the caller's memory. */
int lisle_couple_cells_make(lisle_couple_cells **cells);
int lisle_couple_cells_add(lisle_couple_cells *cells, int64_t number, int corners, const double x[],
                           const double y[]);
/* Between two longitudes and two latitudes, in radians. */
int lisle_couple_cells_add_spherical(lisle_couple_cells *cells, int64_t number, double west, double east,
                                     double south, double north);
int lisle_couple_cells_free(lisle_couple_cells **cells);

/* ---- weights for values at points, and weights in files ---- */

/* Points with their places: of the sender numbers in its grid, of the receiver places in the caller's memory.
 */
typedef struct lisle_couple_located {
    int64_t count;
    const int64_t *numbers;
    const double *x, *y;
} lisle_couple_located;
enum lisle_couple_surface {
    LISLE_COUPLE_PLANE,
    LISLE_COUPLE_SPHERE /* x, y: longitude, latitude, in radians */
};
/* Collective over the ranks of both grids: of so many nearest points, whose weights fall with the distance to
 * this power. from: without points that are masked. period: of x in a plane that is a cylinder; 0: it is
 * none. */
int lisle_couple_weights_nearest(MPI_Comm all, const lisle_couple_located *from,
                                 const lisle_couple_located *to, int surface, double period, int neighbours,
                                 double power, lisle_couple_weights **weights);

/* Triangles and convex quadrilaterals of the sender's mesh, that the caller has. masked: null, or 1 for
 * corners without a value. */
int lisle_couple_elements_make(lisle_couple_elements **elements);
int lisle_couple_elements_add(lisle_couple_elements *elements, int corners, const int64_t points[],
                              const double x[], const double y[], const unsigned char masked[]);
int lisle_couple_elements_free(lisle_couple_elements **elements);
enum lisle_couple_masked_corners {
    LISLE_COUPLE_LOSE_WEIGHT, /* the others keep theirs */
    LISLE_COUPLE_RESCALE      /* the others' sum is made 1 */
};
/* Collective over the ranks of both grids: bilinear in quadrilaterals, linear in triangles. */
int lisle_couple_weights_bilinear(MPI_Comm all, const lisle_couple_elements *from,
                                  const lisle_couple_located *to, int masked, double period,
                                  lisle_couple_weights **weights);

enum lisle_couple_weight_format { LISLE_COUPLE_TEXT, LISLE_COUPLE_SCRIP, LISLE_COUPLE_ESMF };
/* Collective: the weights of the caller's points, from a file whose content says what it is. sender_points:
 * of the sender's whole grid. */
int lisle_couple_weights_read(MPI_Comm all, const char *path, const lisle_couple_points *wanted,
                              int64_t sender_points, lisle_couple_weights **weights);
int lisle_couple_weights_write(MPI_Comm all, const char *path, const lisle_couple_weights *weights,
                               const lisle_couple_points *wanted, int64_t sender_points, int format);

/* ---- jobs ---- */

/* Collective over all ranks of all components. own: the names of those that the caller is a rank of. */
int lisle_couple_job_make(MPI_Comm all, int count, const char *const own[], lisle_couple_job **job);
/* One of the caller's own. */
int lisle_couple_job_component(lisle_couple_job *job, const char *name, lisle_couple_component **component);
/* Collective, before the job begins, when all is declared: a file says whose fields wants are, and how they
 * are over time, in place of what the program says. */
int lisle_couple_job_configure(lisle_couple_job *job, const char *path);
/* At all ranks, before the job begins: how long each component waits is measured, for
 * lisle_couple_job_draw(). */
int lisle_couple_job_watch(lisle_couple_job *job);
/* Collective, once: compares what all have declared. */
int lisle_couple_job_begin(lisle_couple_job *job);
/* Collective, once the job has begun: writes a picture (SVG) of the components and of how long they have
 * waited. */
int lisle_couple_job_draw(lisle_couple_job *job, const char *path);
/* Collective, when all have put and none has gone on from a time that all have come to, or at their ends:
 * writes a file for each component, PATH.NAME. */
int lisle_couple_job_save(lisle_couple_job *job, const char *path);
/* Collective, once, after lisle_couple_job_begin() and before anything is put, on any ranks: all stand where
 * they stood when they were saved. What was put and got then counts as put and got. */
int lisle_couple_job_load(lisle_couple_job *job, const char *path);
/* Waits until what was put has left, and frees the job. Collective, once its components are at their ends. */
int lisle_couple_job_end(lisle_couple_job **job);

/* ---- components: what they declare before the job begins; all their ranks alike ---- */

/* The ranks of the component, for its own messages. The communicator is freed with the job. */
int lisle_couple_ranks(const lisle_couple_component *component, MPI_Comm *ranks);
/* Its times: offset, offset + period, ... before the end. */
int lisle_couple_runs(lisle_couple_component *component, int64_t period, int64_t offset, int64_t end);
/* A field that it has. data: an element for each place of the points; type: of an element. Both
 * stay until the job ends. field: for the calls below, or null. */
int lisle_couple_offers(lisle_couple_component *component, const char *name,
                        const lisle_couple_points *points, const void *data, MPI_Datatype type,
                        lisle_couple_field **field);
/* What else belongs to its state, for restart files. */
int lisle_couple_keeps(lisle_couple_component *component, const char *name, const lisle_couple_points *points,
                       void *data, MPI_Datatype type, lisle_couple_field **field);
/* A field that it gets from another component, which has the same name there. from: "" if a configuration
 * says whose it is. */
int lisle_couple_wants(lisle_couple_component *component, const char *name, const lisle_couple_points *points,
                       void *data, MPI_Datatype type, const char *from, lisle_couple_field **field);

/* More about a field. Strides are in elements, from one place to the next and from one level to the next;
 * level_stride 0: the levels follow each other whole. Without this call: 1, 1, 0. */
int lisle_couple_field_levels(lisle_couple_field *field, int64_t levels, int64_t point_stride,
                              int64_t level_stride);
int lisle_couple_field_unit(lisle_couple_field *field, const char *unit);

/* More about a field that is wanted. */
enum lisle_couple_over_time {
    LISLE_COUPLE_LATEST, /* the value at the time, or the last one before it; without this call */
    LISLE_COUPLE_LINEAR, /* the straight line through the values before and after */
    LISLE_COUPLE_MEAN,   /* of the receiver's step that ends at the time, by how long each value held */
    LISLE_COUPLE_SUM,    /* of the amounts in that step; none is lost */
    LISLE_COUPLE_MINIMUM,
    LISLE_COUPLE_MAXIMUM
};
int lisle_couple_field_over_time(lisle_couple_field *field, int how);
/* What belongs to a time so much earlier. */
int lisle_couple_field_lag(lisle_couple_field *field, int64_t lag);
/* The coupling period, a multiple of the component's steps: got at times so far apart. 0: at each time. */
int lisle_couple_field_every(lisle_couple_field *field, int64_t every);
/* Its name at the other component, where that is another one. */
int lisle_couple_field_source(lisle_couple_field *field, const char *name);
/* Where the grids differ. The points of the field then count places alone. */
int lisle_couple_field_weights(lisle_couple_field *field, const lisle_couple_weights *weights);

/* Both sides may put and get it again after lisle_couple_repeat(), until they agree. */
int lisle_couple_field_iterated(lisle_couple_field *field);

/* ---- components: at each of their times, once the job has begun ---- */

/* The time; INT64_MIN for what is no component. */
int64_t lisle_couple_time(const lisle_couple_component *component);
/* 1 or 0; -1 for what is no component. */
int lisle_couple_is_at_end(const lisle_couple_component *component);
/* Gives away a field as it is now; null: all that have not been put at this time. Its memory must not change
 * until lisle_couple_advance(). */
int lisle_couple_put(lisle_couple_component *component, const char *field);
/* Waits for a field's values at this time; null: all that have not been got. */
int lisle_couple_get(lisle_couple_component *component, const char *field);
/* Waits until what was put has been taken. All components of the caller must have got what they want at this
 * time. */
int lisle_couple_settle(lisle_couple_component *component);
/* This time once more: what is iterated can be put and got again, by both sides equally often. */
int lisle_couple_repeat(lisle_couple_component *component);
/* To the next time. */
int lisle_couple_advance(lisle_couple_component *component);

/* ---- fixed points: values that components repeat a step for, until they no longer change ---- */

enum lisle_couple_acceleration {
    LISLE_COUPLE_PLAIN,    /* the next values are what came out */
    LISLE_COUPLE_CONSTANT, /* a fixed part of the way */
    LISLE_COUPLE_AITKEN,
    LISLE_COUPLE_QUASI_NEWTON /* IQN-ILS */
};
/* As iteration_rule of lisle/couple/fixed_point.hpp, which says more. */
typedef struct lisle_couple_iteration_rule {
    double relaxation, relative, absolute, least_new;
    int how, most, reused_steps;
} lisle_couple_iteration_rule;
int lisle_couple_iteration_defaults(lisle_couple_iteration_rule *rule);
/* Collective. rule: null for the defaults. */
int lisle_couple_fixed_point_make(MPI_Comm ranks, const lisle_couple_iteration_rule *rule,
                                  lisle_couple_fixed_point **point);
/* Collective: a new step begins with a guess, of which each rank has a part of each field, always of the same
 * size. */
int lisle_couple_fixed_point_begin(lisle_couple_fixed_point *point, int fields, double *const parts[],
                                   const int64_t sizes[]);
/* Collective. parts: what came out; it becomes the next values if *again is 1. */
int lisle_couple_fixed_point_repeats(lisle_couple_fixed_point *point, int fields, double *const parts[],
                                     const int64_t sizes[], int *again);
/* Of the present step. */
int lisle_couple_fixed_point_progress(const lisle_couple_fixed_point *point, int *has_converged,
                                      int *iterations);
/* By iteration the largest of the fields' relative differences, as many as there are iterations. */
int lisle_couple_fixed_point_history(const lisle_couple_fixed_point *point, double differences[]);
int lisle_couple_fixed_point_free(lisle_couple_fixed_point **point);

#ifdef __cplusplus
}
#endif

#endif
