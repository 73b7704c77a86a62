/* SPDX-License-Identifier: Apache-2.0
 * A team of threads for each rank, with threadprivate variables. */
#include <omp.h>
#include <stdio.h>

int lone_job_rank(void);

static int copies = 3;
static int own = 100;
#pragma omp threadprivate(own)

int main(void) {
    const int rank = lone_job_rank();
    int total = 0, bad = 0;
    copies += rank;
#pragma omp parallel num_threads(3) reduction(+ : total, bad)
    {
        own += rank + omp_get_thread_num();
        bad += copies != 3 + rank || lone_job_rank() != rank;
        total += own;
    }
    bad += total != 3 * (100 + rank) + 3;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < 1000; ++i) {
        total += i;
    }
    bad += total != 3 * (100 + rank) + 3 + 499500;
    printf("rank %d %s\n", rank, bad ? "BAD" : "good");
    return bad;
}
