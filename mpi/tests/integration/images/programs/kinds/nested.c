/* SPDX-License-Identifier: Apache-2.0
 * A nested function whose address is taken: GCC puts code for it on the stack. */
#include <mpi.h>
#include <stdio.h>

static int apply(int (*function)(int), int number) {
    return function(number);
}

int main(int count, char **words) {
    int rank = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    __extension__ int add(int number) {
        return number + rank;
    }
    int (*volatile function)(int) = &add;
    printf("nested %d\n", apply(function, 5));
    MPI_Finalize();
    return 0;
}
