/* SPDX-License-Identifier: Apache-2.0
 * Jobs that meet. The child is this program, with the same mistake. */
#include "twins.h"

#include <stdio.h>
#include <unistd.h>

/* Both ranks start one child; in the child the communicator with its parents. */
static MPI_Comm family(char *name) {
    char *words[] = {name, right ? "right" : NULL, NULL};
    MPI_Comm parents, children;
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL) {
        return parents;
    }
    MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE); /* A spawn_left */
    return children;
}

static int is_child(void) {
    MPI_Comm parents;
    MPI_Comm_get_parent(&parents);
    return parents != MPI_COMM_NULL;
}

/* Parent and child wait for each other. */
static void spawn_both_wait(void) {
    MPI_Comm others = family("spawn_both_wait");
    int data = 0;
    if (is_child() && right) {
        MPI_Send(&data, 1, MPI_INT, 0, 5, others);
    } else if (is_child() || rank == 0) {
        MPI_Recv(&data, 1, MPI_INT, 0, 5, others, MPI_STATUS_IGNORE); /* A spawn_both_wait */
    }
    MPI_Comm_disconnect(&others);
}

static void spawn_type(void) {
    MPI_Comm others = family("spawn_type");
    int data = 0;
    if (is_child()) {
        MPI_Send(&data, 1, MPI_INT, 0, 5, others);
    } else if (rank == 0) {
        MPI_Recv(&data, 1, right ? MPI_INT : MPI_FLOAT, 0, 5, others, MPI_STATUS_IGNORE); /* A spawn_type */
    }
    MPI_Comm_disconnect(&others);
}

static void spawn_left(void) {
    MPI_Comm others = family("spawn_left");
    if (right) {
        MPI_Comm_disconnect(&others);
    }
}

static void spawn_no_program(void) {
    MPI_Comm others;
    if (right) {
        others = family("spawn_no_program");
    } else {
        MPI_Comm_spawn("./no_such_program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                       MPI_ERRCODES_IGNORE); /* A spawn_no_program */
    }
    MPI_Comm_disconnect(&others);
}

static void port_unknown(void) {
    char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME], service[64];
    /* Other jobs of the user may publish at the same time. */
    snprintf(service, sizeof service, "lisle_twin_%ld_%d", (long)getpid(), rank);
    MPI_Open_port(MPI_INFO_NULL, port);
    if (right) {
        MPI_Publish_name(service, MPI_INFO_NULL, port);
    }
    MPI_Lookup_name(service, MPI_INFO_NULL, found); /* A port_unknown */
    MPI_Unpublish_name(service, MPI_INFO_NULL, port);
    MPI_Close_port(port);
}

const struct mistake spawn_mistakes[] = {
    {"spawn_both_wait", spawn_both_wait, MPI_THREAD_SINGLE},
    {"spawn_type", spawn_type, MPI_THREAD_SINGLE},
    {"spawn_left", spawn_left, MPI_THREAD_SINGLE},
    {"spawn_no_program", spawn_no_program, MPI_THREAD_SINGLE},
    {"port_unknown", port_unknown, MPI_THREAD_SINGLE},
    {0},
};
