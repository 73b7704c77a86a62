/* SPDX-License-Identifier: Apache-2.0
 * Mistakes that LISLE_CHECK names, and what looks like some and is none. The argument says which one this
 * program of two ranks (with_third: three) makes. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void unreceived(void) {
    int data[2] = {0};
    if (rank == 0) {
        MPI_Send(data, 2, MPI_INT, 1, 5, MPI_COMM_WORLD);
    }
}

/* Late: the message is there before its receive is posted. */
static void other_type(int late) {
    int number = 0;
    float sum = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        if (late) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        if (late) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Irecv(&sum, 1, MPI_FLOAT, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void other_form(void) {
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void bytes(void) {
    int number = 0;
    char raw[sizeof number];
    if (rank == 0) {
        MPI_Send(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv(raw, sizeof raw, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void types_of_collective(void) {
    int data[1] = {0};
    MPI_Bcast(data, 1, rank == 0 ? MPI_INT : MPI_FLOAT, 0, MPI_COMM_WORLD);
}

static void other_collective(void) {
    int data = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    } else {
        MPI_Ibcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A long message is announced, and says of what type it is, too. */
static void other_type_announced(void) {
    static int numbers[100000];
    static float sums[100000];
    if (rank == 0) {
        MPI_Ssend(numbers, 100000, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv(sums, 100000, MPI_FLOAT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Nothing but a comparison of the calls tells that the operations differ. */
static void other_operation(void) {
    int one = 1, result = 0;
    MPI_Allreduce(&one, &result, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}

static void freed_early(void) {
    int data = rank;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void relies_on_buffers(void) {
    int data = rank, other = 0;
    MPI_Send(&data, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A buffer that is sent, or received to, changes while the operation is under way. */
static void changed(int sent) {
    int data = rank;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        data += sent;
    } else {
        MPI_Irecv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
        data += !sent;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The same of a collective, whose blocks have gaps between them that belong to the program. */
static void changed_gathered(int inside) {
    int data = 7, all[4] = {0, 0, 0, 0};
    const int counts[2] = {1, 1}, places[2] = {0, 2};
    MPI_Request request;
    MPI_Igatherv(&data, 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 0) {
        all[inside ? 2 : 1] = 5;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0 && (all[0] != 7 || (!inside && all[2] != 7) || all[1] != (inside ? 0 : 5) || all[3] != 0)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void overlapping_receives(void) {
    int data[3] = {1, 2, 3};
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Send(data, 2, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Send(data, 2, MPI_INT, 1, 6, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(data, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(data + 1, 2, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void overlapping_sendrecv(void) {
    int data[3] = {1, 2, 3};
    MPI_Sendrecv(data, 2, MPI_INT, 1 - rank, 5, data + 1, 2, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Either message may come first; the third rank's is sent whatever becomes of the second one's. */
static void with_third(int source) {
    int data = rank;
    if (rank == 0) {
        MPI_Recv(&data, 1, MPI_INT, source == MPI_ANY_SOURCE ? source : 1, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Recv(&data, 1, MPI_INT, source == MPI_ANY_SOURCE ? source : 2, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The third rank sends only once the message of the second one has been received. */
static void in_order(void) {
    int data = rank;
    if (rank == 0) {
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&data, 1, MPI_INT, 2, 6, MPI_COMM_WORLD);
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Ssend(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What is right: buffers in rows, types with gaps, persistent operations, requests that are asked about. */
static void right(void) {
    int column[6] = {1, 2, 3, 4, 5, 6}, got[6] = {0}, flag = 0;
    MPI_Datatype every_other;
    MPI_Request requests[2];
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Irecv(got, 1, every_other, 1 - rank, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(got + 1, 1, every_other, 1 - rank, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Sendrecv(column, 1, every_other, 1 - rank, 5, NULL, 0, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Send(column + 1, 1, every_other, 1 - rank, 6, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&every_other);
    MPI_Send_init(column, 6, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(got, 6, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 3; ++round) {
        column[0] = round;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (got[0] != round || got[5] != 6) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        got[0] = -1;
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Iallreduce(MPI_IN_PLACE, column, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    while (!flag) {
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    }
    if (column[5] != 12) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

struct kind {
    const char *name;
    void (*make)(void);
    int level; /* of threads that it asks for */
};
static void in_thread(void *(*function)(void *), pthread_t *thread) {
    pthread_create(thread, NULL, function, NULL);
}

static void *call_barrier(void *nothing) {
    MPI_Barrier(MPI_COMM_WORLD);
    return nothing;
}

/* With MPI_THREAD_FUNNELED. */
static void other_thread(void) {
    pthread_t thread;
    in_thread(call_barrier, &thread);
    pthread_join(thread, NULL);
}

enum { messages_of_thread = 40 };
static atomic_int begins_to_receive;

/* Not before the other thread is about to receive, and for so long that it does. */
static void *send_to_first(void *nothing) {
    while (atomic_load(&begins_to_receive) == 0) {
        usleep(1000);
    }
    for (int i = 0; i < messages_of_thread; ++i) {
        usleep(10 * 1000);
        MPI_Ssend(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    return nothing;
}

/* With MPI_THREAD_SERIALIZED: what one thread receives, rank 0 sends when it has heard of the other one. */
static void two_at_once(void) {
    int data = 0;
    pthread_t thread;
    if (rank == 0) {
        for (int i = 0; i < messages_of_thread; ++i) {
            MPI_Recv(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Send(&data, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    } else {
        in_thread(send_to_first, &thread);
        atomic_store(&begins_to_receive, 1);
        MPI_Recv(&data, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join(thread, NULL);
    }
}

static void *call_bcast(void *nothing) {
    MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return nothing;
}

/* With MPI_THREAD_MULTIPLE. Rank 1 comes to neither. */
static void two_collectives(void) {
    int data = 0;
    pthread_t thread;
    if (rank == 0) {
        in_thread(call_bcast, &thread);
        MPI_Barrier(MPI_COMM_WORLD);
        pthread_join(thread, NULL);
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void null_origin(void) {
    int data[4];
    MPI_Win window;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(NULL, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void null_window(void) {
    MPI_Win window;
    MPI_Win_create(NULL, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
}

/* A stride of less than a block names bytes twice. */
static void bytes_twice(void) {
    int data[4] = {1, 2, 3, 4};
    MPI_Datatype twice;
    MPI_Type_vector(2, 2, 1, MPI_INT, &twice);
    MPI_Type_commit(&twice);
    if (rank == 0) {
        MPI_Send(data, 1, twice, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 1, twice, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&twice);
}

/* The target changes what is read between the same fences. */
static void changed_window(void) {
    int data[4] = {0}, value = 0;
    MPI_Win window;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Get(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, window);
    } else {
        data[2] = 7;
        data[3] = 8;
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Watched by the processor: a buffer of a receive, and the first element of a window. */
static void used_by_program(int early) {
    enum { times = 20, size = 4 };
    static volatile int data[size];
    volatile int *part;
    int got = 0;
    MPI_Win window;
    MPI_Win_allocate(sizeof data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&part, &window);
    part[0] = 0;
    for (int i = 0; i < times; ++i) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0) {
            MPI_Send((void *)data, size, MPI_INT, 1, 5, MPI_COMM_WORLD);
        } else {
            MPI_Irecv((void *)data, size, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
            got += early ? data[0] : 0;
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        got += data[0];
        data[1] = got;
        MPI_Win_fence(0, window);
        if (rank == 0) {
            MPI_Get(&got, 1, MPI_INT, 1, early ? 0 : 1, 1, MPI_INT, window);
        } else {
            part[0] = i;
        }
        MPI_Win_fence(0, window);
        part[0] = got;
    }
    MPI_Win_free(&window);
}

static void used_early(void) {
    used_by_program(1);
}
static void used_late(void) {
    used_by_program(0);
}
static volatile sig_atomic_t traps;
static void count_trap(int signal) {
    (void)signal;
    ++traps;
}
/* The program takes the signal by which the library hears of accesses: from the next operation on it gets its
 * own alone. */
static void own_traps(void) {
    int first[2] = {0}, second[2] = {0};
    const int given[2] = {1, 2}, peer = 1 - rank;
    MPI_Request requests[2];
    MPI_Irecv(first, 2, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]);
    const struct sigaction wanted = {.sa_handler = count_trap};
    if (sigaction(SIGTRAP, &wanted, NULL) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Irecv(second, 2, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(given, 2, MPI_INT, peer, 1, MPI_COMM_WORLD);
    MPI_Send(given, 2, MPI_INT, peer, 2, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    ++first[0];
    ++second[0];
    raise(SIGTRAP);
    if (traps != 1 || first[0] + second[0] != 4) {
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}
static void other_type_soon(void) {
    other_type(0);
}
static void other_type_late(void) {
    other_type(1);
}
static void changed_send(void) {
    changed(1);
}
static void changed_receive(void) {
    changed(0);
}
static void changed_collective(void) {
    changed_gathered(1);
}
static void changed_gap(void) {
    changed_gathered(0);
}
static void any_source(void) {
    with_third(MPI_ANY_SOURCE);
}
static void named_source(void) {
    with_third(0);
}

static const struct kind kinds[] = {
    {"unreceived", unreceived, MPI_THREAD_SINGLE},
    {"other_type", other_type_soon, MPI_THREAD_SINGLE},
    {"other_type_late", other_type_late, MPI_THREAD_SINGLE},
    {"other_type_announced", other_type_announced, MPI_THREAD_SINGLE},
    {"types_of_collective", types_of_collective, MPI_THREAD_SINGLE},
    {"other_collective", other_collective, MPI_THREAD_SINGLE},
    {"other_form", other_form, MPI_THREAD_SINGLE},
    {"other_operation", other_operation, MPI_THREAD_SINGLE},
    {"bytes", bytes, MPI_THREAD_SINGLE},
    {"freed_early", freed_early, MPI_THREAD_SINGLE},
    {"relies_on_buffers", relies_on_buffers, MPI_THREAD_SINGLE},
    {"changed_send", changed_send, MPI_THREAD_SINGLE},
    {"changed_receive", changed_receive, MPI_THREAD_SINGLE},
    {"changed_collective", changed_collective, MPI_THREAD_SINGLE},
    {"changed_gap", changed_gap, MPI_THREAD_SINGLE},
    {"overlapping_receives", overlapping_receives, MPI_THREAD_SINGLE},
    {"overlapping_sendrecv", overlapping_sendrecv, MPI_THREAD_SINGLE},
    {"any_source", any_source, MPI_THREAD_SINGLE},
    {"named_source", named_source, MPI_THREAD_SINGLE},
    {"in_order", in_order, MPI_THREAD_SINGLE},
    {"null_origin", null_origin, MPI_THREAD_SINGLE},
    {"null_window", null_window, MPI_THREAD_SINGLE},
    {"bytes_twice", bytes_twice, MPI_THREAD_SINGLE},
    {"changed_window", changed_window, MPI_THREAD_SINGLE},
    {"other_thread", other_thread, MPI_THREAD_FUNNELED},
    {"two_at_once", two_at_once, MPI_THREAD_SERIALIZED},
    {"two_collectives", two_collectives, MPI_THREAD_MULTIPLE},
    {"used_early", used_early, MPI_THREAD_SINGLE},
    {"used_late", used_late, MPI_THREAD_SINGLE},
    {"own_traps", own_traps, MPI_THREAD_SINGLE},
    {"right", right, MPI_THREAD_SINGLE},
};

int main(int argc, char **argv) {
    const struct kind *chosen = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; ++i) {
        chosen = strcmp(argv[1], kinds[i].name) == 0 ? &kinds[i] : chosen;
    }
    if (chosen == NULL) {
        return 1;
    }
    int provided;
    MPI_Init_thread(&argc, &argv, chosen->level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    chosen->make();
    MPI_Finalize();
    return 0;
}
