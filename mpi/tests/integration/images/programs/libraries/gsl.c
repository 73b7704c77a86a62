/* SPDX-License-Identifier: Apache-2.0
 * GSL has one error handler, and generators with a type for a default. */
#include "job.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_gamma.h>

static int errors;

static void count_error(const char *reason, const char *file, int line, int number) {
    (void)reason, (void)file, (void)line, (void)number;
    ++errors;
}

int main(int count, char **words) {
    begin(&count, &words);
    gsl_set_error_handler(&count_error);
    gsl_rng_default_seed = (unsigned long)rank + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    gsl_rng *const generator = gsl_rng_alloc(gsl_rng_mt19937);
    double sum = 0;
    for (int i = 0; i != 1000; ++i) {
        sum += gsl_rng_uniform(generator) + gsl_sf_bessel_J0(i * 0.01 * (rank + 1));
    }
    for (int i = 0; i != rank + 3; ++i) {
        gsl_sf_result ignored;
        gsl_sf_gamma_e(-1.0, &ignored);
    }
    gsl_rng_free(generator);
    printf("%d: %.10f %d errors\n", rank, sum, errors);
    MPI_Finalize();
    return 0;
}
