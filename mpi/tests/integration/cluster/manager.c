// SPDX-License-Identifier: Apache-2.0
// A manager that spawns two workers on another host and asks them where they are. Argument: the host.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAME_LENGTH = 64, WORKERS = 2 };

static void manage(const char *self, const char *host) {
    int *universe = NULL;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, (void *)&universe, &found);
    printf("a universe of %d\n", found ? *universe : 0);

    // Launchers are called on a host now, whose interfaces have other names.
    setenv("HYDRA_IFACE", "eth0", 1);
    setenv("OMPI_MCA_oob_tcp_if_include", "eth0", 1);
    MPI_Info hints;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "host", host);
    char program[4096];
    snprintf(program, sizeof program, "%s", self);
    MPI_Comm workers;
    MPI_Comm_spawn(program, MPI_ARGV_NULL, WORKERS, hints, 0, MPI_COMM_SELF, &workers, MPI_ERRCODES_IGNORE);
    MPI_Info_free(&hints);
    for (int worker = 0; worker != WORKERS; ++worker) {
        char name[NAME_LENGTH] = "";
        MPI_Recv(name, sizeof name, MPI_CHAR, worker, 0, workers, MPI_STATUS_IGNORE);
        printf("worker %d is on %s\n", worker, name);
    }
    MPI_Comm_disconnect(&workers);
}

static void work(MPI_Comm manager) {
    char name[NAME_LENGTH] = "";
    gethostname(name, sizeof name - 1);
    MPI_Send(name, sizeof name, MPI_CHAR, 0, 0, manager);
    MPI_Comm_disconnect(&manager);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm manager;
    MPI_Comm_get_parent(&manager);
    if (manager != MPI_COMM_NULL) {
        work(manager);
    } else if (argc == 2) {
        manage(argv[0], argv[1]);
    }
    MPI_Finalize();
}
