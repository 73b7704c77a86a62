/* SPDX-License-Identifier: Apache-2.0
 * Has the mark that Go's linker puts into what it makes. */
#include <mpi.h>

char mark[] = "\xff Go buildinf:";

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int differs = mark[1] != ' ';
    MPI_Finalize();
    return differs;
}
