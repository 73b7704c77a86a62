/* SPDX-License-Identifier: Apache-2.0 */
/* Coupling from C, where ranks are components in a ring, each of which gets from the next one: fields of all
 * kinds of elements, levels and strides, over time and regridded; what is refused, with its sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lisle/couple.h"

static int rank, ranks;

static void fail(int line, const char *what) {
    fprintf(stderr, "rank %d: line %d: %s: %s\n", rank, line, what, lisle_couple_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(holds) ((holds) ? (void)0 : fail(__LINE__, #holds))
#define OK(call) CHECK((call) == 0)
#define REFUSED(call, sentence) (CHECK((call) == -1), CHECK(strcmp(lisle_couple_message(), sentence) == 0))

static const char *name_of(int of) {
    static char names[2][16];
    static int next;
    char *const name = names[next++ % 2];
    snprintf(name, sizeof names[0], "c%d", of % ranks);
    return name;
}

enum { points = 6, levels = 2, steps = 5 };

/* What a component has of each field: the values of point p on level l at step s. */
static double value_of(int of, int step, int level, int point) {
    return 1000.0 * of + 100 * level + 10 * point + step;
}

/* The memory of one rank, as it offers and as it wants. */
struct memory {
    double columns[points * levels];  /* the levels of a point side by side */
    float planes[levels][2 * points]; /* every second element */
    int64_t whole[points];
};
struct received {
    struct memory same;
    double mean[points], regridded[2];
};

static void fill(struct memory *of, int step) {
    for (int point = 0; point != points; ++point) {
        for (int level = 0; level != levels; ++level) {
            of->columns[point * levels + level] = value_of(rank, step, level, point);
            of->planes[level][2 * point] = (float)value_of(rank, step, level, point);
        }
        of->whole[point] = (int64_t)value_of(rank, step, 0, point);
    }
}

static void declare_fields(lisle_couple_component *self, struct memory *own, struct received *got) {
    lisle_couple_field *field;
    lisle_couple_points *all, *sea;
    const int64_t grid[] = {2, 3}, begin[] = {0, 0};
    const unsigned char land[points] = {0, 0, 1, 0, 0, 0};
    OK(lisle_couple_points_block(2, grid, begin, grid, &all));
    OK(lisle_couple_points_block(2, grid, begin, grid, &sea));
    OK(lisle_couple_points_mask(sea, points, land));
    const char *const next = name_of(rank + 1);

    OK(lisle_couple_offers(self, "columns", all, own->columns, MPI_DOUBLE, &field));
    OK(lisle_couple_field_levels(field, levels, levels, 1));
    OK(lisle_couple_field_unit(field, "K"));
    OK(lisle_couple_wants(self, "columns", sea, got->same.columns, MPI_DOUBLE, next, &field));
    OK(lisle_couple_field_levels(field, levels, levels, 1));
    OK(lisle_couple_field_unit(field, "K"));

    OK(lisle_couple_offers(self, "planes", all, own->planes, MPI_FLOAT, &field));
    OK(lisle_couple_field_levels(field, levels, 2, 2 * points));
    OK(lisle_couple_wants(self, "planes", all, got->same.planes, MPI_FLOAT, next, &field));
    OK(lisle_couple_field_levels(field, levels, 2, 2 * points));

    OK(lisle_couple_offers(self, "whole", all, own->whole, MPI_INT64_T, NULL));
    OK(lisle_couple_wants(self, "integers", all, got->same.whole, MPI_INT64_T, next, &field));
    OK(lisle_couple_field_source(field, "whole"));

    OK(lisle_couple_wants(self, "mean", all, got->mean, MPI_DOUBLE, next, &field));
    OK(lisle_couple_field_source(field, "one level"));
    OK(lisle_couple_field_over_time(field, LISLE_COUPLE_MEAN));
    OK(lisle_couple_field_lag(field, 1));

    OK(lisle_couple_points_free(&all));
    OK(lisle_couple_points_free(&sea));
    CHECK(all == NULL && sea == NULL);
}

/* Two cells of three points each, by the areas of their overlaps. */
static void declare_regridded(lisle_couple_component *self, const double *own, double *got) {
    lisle_couple_cells *from, *to;
    lisle_couple_weights *weights, *copy;
    lisle_couple_points *all, *two;
    lisle_couple_field *field;
    int64_t entries, cells, places[points], sources[points];
    double factors[points], covered[2];
    OK(lisle_couple_cells_make(&from));
    OK(lisle_couple_cells_make(&to));
    /* The first rank's cells alone: the others' rows are empty, and made by hand from its. */
    for (int at = 0; rank == 0 && at != points; ++at) {
        const double x[] = {at, at + 1, at + 1, at}, y[] = {0, 0, 1, 1};
        OK(lisle_couple_cells_add(from, at, 4, x, y));
    }
    for (int at = 0; rank == 0 && at != 2; ++at) {
        const double x[] = {3 * at, 3 * at + 3, 3 * at + 3, 3 * at}, y[] = {0, 0, 1, 1};
        OK(lisle_couple_cells_add(to, at, 4, x, y));
    }
    OK(lisle_couple_weights_overlap(MPI_COMM_WORLD, from, to, LISLE_COUPLE_WHOLE_AREA, 0, &weights));
    OK(lisle_couple_weights_size(weights, &entries, &cells));
    CHECK(entries == (rank == 0 ? points : 0) && cells == (rank == 0 ? 2 : 0));
    OK(lisle_couple_weights_entries(weights, places, sources, factors));
    OK(lisle_couple_weights_covered(weights, covered));
    for (int64_t at = 0; at != entries; ++at) {
        CHECK(places[at] == at / 3 && sources[at] == at && factors[at] > 0.333 && factors[at] < 0.334);
        CHECK(covered[at / 3] == 1);
    }
    for (int64_t at = 0; at != points; ++at) {
        places[at] = at / 3, sources[at] = at, factors[at] = 1.0 / 3;
    }
    OK(lisle_couple_weights_make(points, places, sources, factors, &copy));
    OK(lisle_couple_points_list(points, points, sources, &all));
    OK(lisle_couple_points_list(2, 2, sources, &two));
    OK(lisle_couple_offers(self, "one level", all, own, MPI_DOUBLE, NULL));
    OK(lisle_couple_wants(self, "regridded", two, got, MPI_DOUBLE, name_of(rank + 1), &field));
    OK(lisle_couple_field_source(field, "one level"));
    OK(lisle_couple_field_weights(field, rank == 0 ? weights : copy));
    OK(lisle_couple_cells_free(&from));
    OK(lisle_couple_cells_free(&to));
    OK(lisle_couple_weights_free(&weights));
    OK(lisle_couple_weights_free(&copy));
    OK(lisle_couple_points_free(&all));
    OK(lisle_couple_points_free(&two));
}

static void check_received(const struct received *got, int step) {
    const int next = (rank + 1) % ranks;
    for (int point = 0; point != points; ++point) {
        for (int level = 0; level != levels; ++level) {
            const double right = value_of(next, step, level, point);
            CHECK(got->same.columns[point * levels + level] == (point == 2 ? -1 : right)); /* masked */
            CHECK(got->same.planes[level][2 * point] == (float)right);
            CHECK(got->same.planes[level][2 * point + 1] == -1);
        }
        CHECK(got->same.whole[point] == (int64_t)value_of(next, step, 0, point));
        /* Of the step that ended a quantum ago: half of it each of two values held; the first one before any.
         */
        CHECK(got->mean[point] == value_of(next, 0, 0, point) + (step < 2 ? 0 : step - 1.5));
    }
    for (int at = 0; at != 2; ++at) {
        const double right = value_of(next, step, 0, 3 * at + 1);
        CHECK(got->regridded[at] > right - 1e-6 && got->regridded[at] < right + 1e-6);
    }
}

static void run_ring(void) {
    lisle_couple_job *job;
    lisle_couple_component *self;
    MPI_Comm own_ranks;
    int own_size;
    struct memory own;
    struct received got;
    double one_level[points];
    const char *const name = name_of(rank);
    for (size_t at = 0; at != points; ++at) {
        got.same.columns[at] = got.same.columns[points + at] = -1;
    }
    for (int at = 0; at != 2 * points; ++at) {
        got.same.planes[0][at] = got.same.planes[1][at] = -1;
    }
    OK(lisle_couple_job_make(MPI_COMM_WORLD, 1, &name, &job));
    OK(lisle_couple_job_component(job, name_of(rank), &self));
    OK(lisle_couple_ranks(self, &own_ranks));
    MPI_Comm_size(own_ranks, &own_size);
    CHECK(own_size == 1);
    OK(lisle_couple_runs(self, 2, 0, 2 * steps));
    declare_fields(self, &own, &got);
    declare_regridded(self, one_level, got.regridded);
    OK(lisle_couple_job_begin(job));
    for (int step = 0; !lisle_couple_is_at_end(self); ++step) {
        CHECK(lisle_couple_time(self) == 2 * step);
        fill(&own, step);
        for (int point = 0; point != points; ++point) {
            one_level[point] = value_of(rank, step, 0, point);
        }
        OK(lisle_couple_put(self, "planes"));
        OK(lisle_couple_put(self, NULL));
        OK(lisle_couple_get(self, "integers"));
        OK(lisle_couple_get(self, NULL));
        check_received(&got, step);
        OK(lisle_couple_advance(self));
    }
    OK(lisle_couple_job_end(&job));
    CHECK(job == NULL);
}

static void check_refusals(void) {
    lisle_couple_job *job;
    lisle_couple_component *self;
    lisle_couple_field *field;
    lisle_couple_points *none = NULL, *made;
    lisle_couple_weights *weights;
    const char *const names[] = {"all"};
    const int64_t one[] = {1}, minus_one[] = {-1};
    const double factor[] = {1};
    double value = 0;
    REFUSED(lisle_couple_points_block(1, one, one, one, &made),
            "couple: a block of 1 points from 1 on does not lie in a grid of 1 (dimension 0)");
    REFUSED(lisle_couple_points_list(1, 1, minus_one, &made), "couple: there is no point -1 in a grid of 1");
    REFUSED(lisle_couple_points_list(1, 1, NULL, &made),
            "couple: lisle_couple_points_list: 1 numbers of points at a null pointer");
    OK(lisle_couple_points_free(&none));
    OK(lisle_couple_points_list(1, rank == 0 ? 1 : 0, (const int64_t[]){0}, &made));
    OK(lisle_couple_job_make(MPI_COMM_WORLD, 1, names, &job));
    REFUSED(lisle_couple_job_component(job, "none", &self), "couple: this rank is none of \"none\"");
    OK(lisle_couple_job_component(job, "all", &self));
    REFUSED(lisle_couple_offers(self, "x", NULL, &value, MPI_DOUBLE, NULL),
            "couple: lisle_couple_offers: the handle of points is null");
    OK(lisle_couple_offers(self, "x", made, &value, MPI_DOUBLE, &field));
    REFUSED(lisle_couple_field_lag(field, 1), "couple: \"x\" of \"all\" is offered: what it is over time, "
                                              "its lag, its period, its source, its weights and "
                                              "whether it is iterated are for fields that are wanted");
    REFUSED(lisle_couple_field_every(field, 4), "couple: \"x\" of \"all\" is offered: what it is over time, "
                                                "its lag, its period, its source, its weights and "
                                                "whether it is iterated are for fields that are wanted");
    REFUSED(
        lisle_couple_field_levels(field, 0, 1, 1),
        "couple: lisle_couple_field_levels: a field has a level at least, and strides that are not negative: "
        "0, 1, 1");
    OK(lisle_couple_wants(self, "y", made, &value, MPI_DOUBLE, "all", &field));
    OK(lisle_couple_weights_make(1, one, one, factor, &weights));
    OK(lisle_couple_weights_free(&weights));
    REFUSED(lisle_couple_field_over_time(field, 6),
            "couple: lisle_couple_field_over_time: there is no way 6");
    REFUSED(lisle_couple_put(self, NULL), "couple: \"all\" calls put before the job has begun");
    REFUSED(lisle_couple_job_begin(job),
            "couple: \"y\" of \"all\" is \"y\" of \"all\", which does not offer it, but: x");
    REFUSED(lisle_couple_job_begin(job), "couple: the job has begun already");
    REFUSED(lisle_couple_offers(self, "z", made, &value, MPI_DOUBLE, NULL),
            "couple: \"all\" declares something after the job has been configured or has begun");
    REFUSED(lisle_couple_field_unit(field, "K"),
            "couple: \"all\" declares something after the job has been configured or has begun");
    REFUSED(lisle_couple_advance(NULL), "couple: lisle_couple_advance: the component is null");
    CHECK(lisle_couple_time(NULL) == INT64_MIN && lisle_couple_is_at_end(NULL) == -1);
    OK(lisle_couple_points_free(&made));
    OK(lisle_couple_job_end(&job));
}

/* Two sides that share all ranks: x = cos y and y = x, of a point at the first rank. */
static void check_iteration(void) {
    lisle_couple_job *job;
    lisle_couple_component *cosine, *same;
    lisle_couple_points *point;
    lisle_couple_field *field;
    lisle_couple_fixed_point *agreement;
    lisle_couple_iteration_rule rule;
    const char *const names[] = {"cosine", "same"};
    const int64_t first[] = {0}, size = rank == 0;
    double x = 1, y = 0, got_x = 0, got_y = 0, history[100] = {-1};
    double *const parts[] = {&x};
    int again = 1, has_converged = 0, iterations = 0;
    OK(lisle_couple_points_list(1, size, first, &point));
    OK(lisle_couple_job_make(MPI_COMM_WORLD, 2, names, &job));
    OK(lisle_couple_job_component(job, "cosine", &cosine));
    OK(lisle_couple_job_component(job, "same", &same));
    OK(lisle_couple_runs(cosine, 1, 0, 1));
    OK(lisle_couple_runs(same, 1, 0, 1));
    OK(lisle_couple_offers(cosine, "x", point, &x, MPI_DOUBLE, NULL));
    OK(lisle_couple_wants(same, "x", point, &got_x, MPI_DOUBLE, "cosine", &field));
    OK(lisle_couple_field_iterated(field));
    OK(lisle_couple_offers(same, "y", point, &y, MPI_DOUBLE, NULL));
    OK(lisle_couple_wants(cosine, "y", point, &got_y, MPI_DOUBLE, "same", &field));
    OK(lisle_couple_field_iterated(field));
    OK(lisle_couple_job_begin(job));
    OK(lisle_couple_iteration_defaults(&rule));
    CHECK(rule.how == LISLE_COUPLE_QUASI_NEWTON && rule.most == 100 && rule.relaxation == 0.5);
    rule.how = 4;
    REFUSED(lisle_couple_fixed_point_make(MPI_COMM_WORLD, &rule, &agreement),
            "couple: lisle_couple_fixed_point_make: there is no acceleration 4");
    rule.how = LISLE_COUPLE_AITKEN, rule.relative = 1e-10;
    OK(lisle_couple_fixed_point_make(MPI_COMM_WORLD, &rule, &agreement));
    OK(lisle_couple_fixed_point_begin(agreement, 1, parts, &size));
    for (;;) {
        OK(lisle_couple_put(cosine, NULL));
        OK(lisle_couple_get(same, NULL));
        y = got_x;
        OK(lisle_couple_put(same, NULL));
        OK(lisle_couple_get(cosine, NULL));
        OK(lisle_couple_settle(cosine));
        /* 1 - y^2/2 + ... */
        double term = 1, sum = 0;
        for (int power = 1; power != 25; ++power) {
            sum += term;
            term *= -got_y * got_y / ((2 * power - 1) * (2 * power));
        }
        x = sum;
        OK(lisle_couple_fixed_point_repeats(agreement, 1, parts, &size, &again));
        if (again == 0) {
            break;
        }
        OK(lisle_couple_repeat(cosine));
        OK(lisle_couple_repeat(same));
    }
    OK(lisle_couple_fixed_point_progress(agreement, &has_converged, &iterations));
    CHECK(has_converged == 1 && iterations > 2 && iterations < 20);
    OK(lisle_couple_fixed_point_history(agreement, history));
    CHECK(history[iterations - 1] <= 1e-10 && history[0] > 0.1);
    CHECK(rank != 0 || (x > 0.739085133 && x < 0.739085134));
    OK(lisle_couple_advance(cosine));
    OK(lisle_couple_advance(same));
    OK(lisle_couple_fixed_point_free(&agreement));
    OK(lisle_couple_points_free(&point));
    OK(lisle_couple_job_end(&job));
}

static int starts_with(const char *path, const char *text) {
    char begin[64] = "";
    FILE *const file = fopen(path, "r");
    const int found =
        file != NULL && fgets(begin, sizeof begin, file) != NULL && strncmp(begin, text, strlen(text)) == 0;
    return file != NULL && fclose(file) == 0 && found;
}

/* A job that a file puts together, saved at its third step or gone on from there. */
static void run_with_files(const char *configuration, const char *saved, const char *picture, int goes_on) {
    lisle_couple_job *job;
    lisle_couple_component *air, *sea;
    lisle_couple_points *point;
    const char *const names[] = {"air", "sea"};
    const int64_t first[] = {0}, size = rank == 0;
    double flux = 0, heat = -1, clock = 0;
    OK(lisle_couple_points_list(1, size, first, &point));
    OK(lisle_couple_job_make(MPI_COMM_WORLD, 2, names, &job));
    OK(lisle_couple_job_component(job, "air", &air));
    OK(lisle_couple_job_component(job, "sea", &sea));
    OK(lisle_couple_runs(air, 1, 0, 6));
    OK(lisle_couple_runs(sea, 1, 0, 6));
    OK(lisle_couple_offers(air, "flux", point, &flux, MPI_DOUBLE, NULL));
    OK(lisle_couple_keeps(air, "clock", point, &clock, MPI_DOUBLE, NULL));
    OK(lisle_couple_wants(sea, "heat", point, &heat, MPI_DOUBLE, "", NULL));
    OK(lisle_couple_job_configure(job, configuration));
    REFUSED(lisle_couple_offers(air, "more", point, &flux, MPI_DOUBLE, NULL),
            "couple: \"air\" declares something after the job has been configured or has begun");
    OK(lisle_couple_job_watch(job));
    OK(lisle_couple_job_begin(job));
    if (goes_on) {
        OK(lisle_couple_job_load(job, saved));
        CHECK(lisle_couple_time(air) == 3 && lisle_couple_time(sea) == 3 && (rank != 0 || clock == 7));
    }
    while (!lisle_couple_is_at_end(air)) {
        const double now = (double)lisle_couple_time(air);
        if (!goes_on || now != 3) { /* else it was put and got before */
            flux = 10 + now;
            OK(lisle_couple_put(air, NULL));
            clock = now + 4;
            OK(lisle_couple_get(sea, NULL));
        }
        if (!goes_on && now == 3) {
            OK(lisle_couple_job_save(job, saved));
        }
        CHECK(rank != 0 || heat == 10 + (now < 1 ? 0 : now - 1)); /* of the step before */
        OK(lisle_couple_advance(air));
        OK(lisle_couple_advance(sea));
    }
    OK(lisle_couple_job_draw(job, picture));
    OK(lisle_couple_points_free(&point));
    OK(lisle_couple_job_end(&job));
}

static void check_same(const lisle_couple_weights *weights, int64_t count, const int64_t wanted_places[],
                       const int64_t wanted_sources[], const double wanted[]) {
    int64_t entries, cells, places[8], sources[8];
    double factors[8];
    OK(lisle_couple_weights_size(weights, &entries, &cells));
    CHECK(entries == count && cells == 0);
    OK(lisle_couple_weights_entries(weights, places, sources, factors));
    for (int64_t at = 0; at != count; ++at) {
        CHECK(places[at] == wanted_places[at] && sources[at] == wanted_sources[at]);
        CHECK(factors[at] > wanted[at] - 1e-12 && factors[at] < wanted[at] + 1e-12);
    }
}

/* The corners of a square, which the first rank has, for two points of each rank, of which one is outside;
 * through a file and back. */
static void check_interpolation(const char *path) {
    const int64_t corners[] = {0, 1, 3, 2}, zero[] = {0, 0, 0, 0}, own[] = {0, 1}, ascending[] = {0, 1, 2, 3};
    const double x[] = {0, 1, 1, 0}, y[] = {0, 0, 1, 1}, to_x[] = {0.25, 3}, to_y[] = {0.5, 0.1};
    const double bilinear[] = {0.375, 0.125, 0.375, 0.125}, nearest[] = {1, 1};
    const int64_t numbers[] = {2 * rank, 2 * rank + 1}, nearest_sources[] = {0, 1};
    const lisle_couple_located from = {rank == 0 ? 4 : 0, corners, x, y}, to = {2, own, to_x, to_y};
    lisle_couple_elements *square;
    lisle_couple_weights *weights, *read;
    lisle_couple_points *two;
    int64_t missed = 0, which[2] = {0, 0};
    OK(lisle_couple_elements_make(&square));
    if (rank == 0) {
        OK(lisle_couple_elements_add(square, 4, corners, x, y, NULL));
    }
    OK(lisle_couple_weights_bilinear(MPI_COMM_WORLD, square, &to, LISLE_COUPLE_RESCALE, 0, &weights));
    check_same(weights, 4, zero, ascending, bilinear);
    OK(lisle_couple_weights_missed(weights, &missed, which));
    CHECK(missed == 1 && which[0] == 1);
    OK(lisle_couple_points_list(2 * ranks, 2, numbers, &two));
    OK(lisle_couple_weights_write(MPI_COMM_WORLD, path, weights, two, 4, LISLE_COUPLE_TEXT));
    OK(lisle_couple_weights_read(MPI_COMM_WORLD, path, two, 4, &read));
    check_same(read, 4, zero, ascending, bilinear);
    OK(lisle_couple_weights_free(&weights));
    OK(lisle_couple_weights_free(&read));
    CHECK(lisle_couple_weights_read(MPI_COMM_WORLD, path, two, 5, &read) == -1);
    CHECK(strstr(lisle_couple_message(), path) != NULL);
    CHECK(lisle_couple_weights_write(MPI_COMM_WORLD, path, weights, two, 4, 7) == -1); /* a null handle */
    OK(lisle_couple_weights_nearest(MPI_COMM_WORLD, &from, &to, LISLE_COUPLE_PLANE, 0, 1, 1, &weights));
    check_same(weights, 2, own, nearest_sources, nearest);
    OK(lisle_couple_weights_free(&weights));
    CHECK(lisle_couple_weights_nearest(MPI_COMM_WORLD, &from, &to, 7, 0, 1, 1, &weights) == -1);
    CHECK(strstr(lisle_couple_message(), "there is no surface 7") != NULL);
    OK(lisle_couple_elements_free(&square));
    OK(lisle_couple_points_free(&two));
}

static void check_files(void) {
    char path[4][256];
    const char *const folder = getenv("TMPDIR"), *const names[] = {"txt", "saved", "svg", "weights"};
    int64_t number = (int64_t)getpid();
    MPI_Bcast(&number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int at = 0; at != 4; ++at) {
        snprintf(path[at], sizeof path[at], "%s/lisle-c-interface-%lld.%s", folder != NULL ? folder : "/tmp",
                 (long long)number, names[at]);
    }
    if (rank == 0) {
        FILE *const file = fopen(path[0], "w");
        CHECK(file != NULL && fputs("sea.heat <- air.flux mean\n", file) >= 0 && fclose(file) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_interpolation(path[3]);
    run_with_files(path[0], path[1], path[2], 0);
    run_with_files(path[0], path[1], path[2], 1);
    if (rank == 0) {
        CHECK(starts_with(path[2], "<svg"));
        for (int at = 0; at != 2; ++at) {
            char component[300];
            snprintf(component, sizeof component, "%s.%s", path[1], at == 0 ? "air" : "sea");
            CHECK(remove(component) == 0);
        }
        CHECK(remove(path[0]) == 0 && remove(path[2]) == 0 && remove(path[3]) == 0);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_refusals();
    check_iteration();
    check_files();
    if (ranks > 1) {
        run_ring();
    }
    MPI_Finalize();
    return 0;
}
