/* SPDX-License-Identifier: Apache-2.0
 * OpenBLAS has threads of its own, of which each rank chooses a number. */
#include "job.h"
#include <cblas.h>

enum { n = 96 };

int main(int count, char **words) {
    begin(&count, &words);
    openblas_set_num_threads(1 + rank % 2);
    static double a[n * n], b[n * n], c[n * n];
    for (int i = 0; i != n * n; ++i) {
        a[i] = i % (rank + 3);
        b[i] = i % 7;
    }
    double sum = 0;
    for (int round = 0; round != 20; ++round) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
        sum += c[round * n + round];
    }
    printf("%d: %.1f, %d threads\n", rank, sum, openblas_get_num_threads());
    MPI_Finalize();
    return 0;
}
