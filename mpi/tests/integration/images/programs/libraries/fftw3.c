/* SPDX-License-Identifier: Apache-2.0
 * FFTW's planner keeps what it has learnt: ranks plan at the same time. */
#include "job.h"
#include <fftw3.h>

int main(int count, char **words) {
    begin(&count, &words);
    double sum = 0;
    for (int round = 0; round != 20; ++round) {
        const int n = 64 + 8 * ((rank + round) % 7);
        fftw_complex *const data = fftw_alloc_complex((size_t)n);
        fftw_plan forth = fftw_plan_dft_1d(n, data, data, FFTW_FORWARD, FFTW_MEASURE);
        fftw_plan back = fftw_plan_dft_1d(n, data, data, FFTW_BACKWARD, FFTW_ESTIMATE);
        for (int i = 0; i != n; ++i) {
            data[i][0] = i % (rank + 2);
            data[i][1] = 0;
        }
        fftw_execute(forth);
        sum += data[0][0];
        fftw_execute(back);
        for (int i = 0; i != n; ++i) {
            sum += data[i][0] / n;
        }
        fftw_destroy_plan(forth);
        fftw_destroy_plan(back);
        fftw_free(data);
    }
    fftw_cleanup();
    printf("%d: %.6f\n", rank, sum);
    MPI_Finalize();
    return 0;
}
