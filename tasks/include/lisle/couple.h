/* SPDX-License-Identifier: Apache-2.0 */
/* Model coupling for C (and Fortran, by bind(C)): the calls of lisle/couple.hpp. Functions return 0, or -1
 * with a sentence in lisle_couple_message(). One thread uses a model. */
#ifndef LISLE_COUPLE_H
#define LISLE_COUPLE_H

#include <stdint.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lisle_model lisle_model;

/* What happened in the last call that failed, for the calling rank's model; valid until the next call. */
const char *lisle_couple_message(const lisle_model *model);

/* Collective. connected: names with commas between, or "". On failure *model is a model that has only a
 * message. */
int lisle_couple_init(MPI_Comm comm, const char *name, int64_t period, int64_t offset, const char *connected,
                      lisle_model **model);
int64_t lisle_couple_time(const lisle_model *model);
int lisle_couple_sync(lisle_model *model);
int lisle_couple_advance(lisle_model *model);
/* A field of doubles of one to three dimensions (extents of those that are missing: 1), the last one dense.
 */
int lisle_couple_post(lisle_model *model, const char *field, const double *values, const int64_t extents[3]);
/* Interpolated at the model's time. capacity: how many doubles fit; extents: what has come. */
int lisle_couple_read(lisle_model *model, const char *other, const char *field, double *values,
                      int64_t capacity, int64_t extents[3]);
/* Finishes the model and frees it. Also frees one that has only a message. */
int lisle_couple_finish(lisle_model **model);

#ifdef __cplusplus
}
#endif

#endif
