/* SPDX-License-Identifier: Apache-2.0
   children WAY: a rank and programs that it starts.
   world: prints how many ranks its world has; what a child does, and what a rank does behind a wrapper.
   starts, closes: begins MPI and starts itself with `world`, with all descriptors or without those above 2,
   first with the environment that it has then, then with the one that it had before. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void world(void) {
    int size;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("a world of %d\n", size);
    MPI_Finalize();
}

/* Starts the program with `world` and waits for its end. */
static void start(char *program, char **environment, int closes) {
    char *const words[] = {program, "world", NULL};
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        for (int descriptor = 3; closes && descriptor < 1024; ++descriptor) {
            close(descriptor);
        }
        execve(program, words, environment);
        _exit(99);
    }
    waitpid(child, &status, 0);
    if (status != 0) {
        fprintf(stderr, "the child ended with the status %d\n", status);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "world") == 0) {
        world();
        return 0;
    }
    int count = 0, sum = 0;
    const int one = 1, closes = argc > 1 && strcmp(argv[1], "closes") == 0;
    while (environ[count] != NULL) {
        ++count;
    }
    char **const before = calloc((size_t)count + 1, sizeof *before);
    for (int i = 0; i < count; ++i) {
        before[i] = strdup(environ[i]);
    }
    MPI_Init(&argc, &argv);
    start(argv[0], environ, closes);
    start(argv[0], before, closes);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("a rank of %d\n", sum);
    for (int i = 0; i < count; ++i) {
        free(before[i]);
    }
    free(before);
    return MPI_Finalize();
}
