/* SPDX-License-Identifier: Apache-2.0
 * Mistakes of two ranks that loads and stores take part in, or that are about windows; compiled by
 * `mpicc --check`. Marks say where the places of a mistake are. With the argument "right" each function does
 * the same with what was missing. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { count = 8 };

static int rank;
static int right;
static volatile int sink; /* what is loaded goes here */

static MPI_Win make_window(int **memory) {
    MPI_Win window;
    MPI_Win_allocate(count * sizeof **memory, sizeof **memory, MPI_INFO_NULL, MPI_COMM_WORLD, memory,
                     &window);
    memset(*memory, 0, count * sizeof **memory);
    MPI_Barrier(MPI_COMM_WORLD);
    return window;
}

static void get_then_load(void) {
    int *memory, value = 0;
    MPI_Win window = make_window(&memory);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* A get_then_load */
        sink = right ? 0 : value;                              /* B get_then_load */
    }
    MPI_Win_fence(0, window);
    sink = value;
    MPI_Win_free(&window);
}

static void put_then_store(void) {
    int *memory, value = 1;
    MPI_Win window = make_window(&memory);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* A put_then_store */
        if (right) {
            MPI_Win_flush_local(1, window);
        }
        value = 2; /* B put_then_store */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void store_at_target(void) {
    int *memory, value = 0;
    MPI_Win window = make_window(&memory);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Get(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, window); /* A store_at_target */
    }
    if (right) {
        MPI_Win_fence(0, window);
    }
    memory[right ? 2 : 2 * rank] = 7; /* B store_at_target */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}

/* What follows a barrier is behind a put only if that was flushed. */
static void barrier_without_flush(void) {
    int *memory, value = 1;
    MPI_Win window = make_window(&memory);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window); /* A barrier_without_flush */
        if (right) {
            MPI_Win_flush(1, window);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        sink = memory[1]; /* B barrier_without_flush */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void copied_from_window(void) {
    int *memory, value[count] = {0}, copy[count];
    MPI_Win window = make_window(&memory);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Accumulate(value, 2, MPI_INT, 1, 3, 2, MPI_INT, MPI_SUM, window); /* A copied_from_window */
    } else {
        memcpy(copy, memory, (right ? 3 : 4) * sizeof *memory); /* B copied_from_window */
        sink = copy[0];
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void sent_then_stored(void) {
    int value = 1;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* A sent_then_stored */
        if (!right) {
            value = 1; /* B sent_then_stored */
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void received_then_loaded(void) {
    int values[2] = {0, 0};
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(values, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* A received_then_loaded */
        sink = values[right];                                          /* B received_then_loaded */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(values, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
}

static void reduced_then_loaded(void) {
    int value = 1, sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* A reduced_then_loaded */
    if (right) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    sink = sum; /* B reduced_then_loaded */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void started_then_stored(void) {
    int value = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Send_init(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* A started_then_stored */
        value = 1;
        MPI_Start(&request);
        if (!right) {
            value = 1; /* B started_then_stored */
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        value = 2;
        MPI_Request_free(&request);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void attached_then_stored(void) {
    int *const memory = calloc(count, sizeof *memory), value = 1;
    MPI_Aint places[2], place;
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, memory, count * sizeof *memory);
    MPI_Get_address(memory, &place);
    MPI_Allgather(&place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, places[1], 1, MPI_INT, window); /* A attached_then_stored */
    } else {
        memory[right] = 3; /* B attached_then_stored */
    }
    MPI_Win_fence(0, window);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
    free(memory);
}

static void loaded_while_exposed(void) {
    int *memory, value = 1;
    const int other = 1 - rank;
    MPI_Group all, peer;
    MPI_Win window = make_window(&memory);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &peer);
    if (rank == 0) {
        MPI_Win_start(peer, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* A loaded_while_exposed */
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(peer, 0, window);
        if (right) {
            MPI_Win_wait(window);
        }
        sink = memory[0]; /* B loaded_while_exposed */
        if (!right) {
            MPI_Win_wait(window);
        }
    }
    MPI_Win_free(&window);
    MPI_Group_free(&peer);
    MPI_Group_free(&all);
}

static void request_then_loaded(void) {
    int *memory, value = 1, before = 0;
    MPI_Request request;
    MPI_Win window = make_window(&memory);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        /* A request_then_loaded */
        MPI_Rget_accumulate(&value, 1, MPI_INT, &before, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window,
                            &request);
        if (right) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        sink = before; /* B request_then_loaded */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void two_results_in_one_place(void) {
    int *memory, value[2] = {0, 0};
    MPI_Win window = make_window(&memory);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    if (rank == 0) {
        MPI_Get(value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);         /* A two_results_in_one_place */
        MPI_Get(value + right, 1, MPI_INT, 1, 1, 1, MPI_INT, window); /* B two_results_in_one_place */
    }
    MPI_Win_unlock(1, window);
    MPI_Win_free(&window);
}

static void other_elements(void) {
    int *memory;
    int number = 1;
    float other = 1;
    MPI_Win window = make_window(&memory);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Accumulate(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window); /* A other_elements */
    } else if (right) {
        MPI_Accumulate(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    } else {
        MPI_Accumulate(&other, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_SUM, window); /* B other_elements */
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* A message out of memory that another rank writes. */
static void sent_from_window(void) {
    int *memory, value = 1;
    MPI_Win window = make_window(&memory);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* A sent_from_window */
    } else {
        /* B sent_from_window */
        MPI_Sendrecv(memory + right, 1, MPI_INT, 0, 4, &value, 1, MPI_INT, 0, 4, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void lock_between_fences(void) {
    int *memory, value = 1;
    MPI_Win window = make_window(&memory);
    MPI_Win_fence(right ? MPI_MODE_NOSUCCEED : 0, window); /* A lock_between_fences */
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); /* B lock_between_fences */
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void no_last_fence(void) {
    int *memory;
    static int value = 1;
    MPI_Win window = make_window(&memory);
    MPI_Win_fence(0, window); /* A no_last_fence */
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    }
    if (right) {
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    }
    MPI_Win_free(&window); /* B no_last_fence */
}

static void __attribute__((noinline)) put_own_variable(MPI_Win window) {
    int value = 3;
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* A variable_has_gone */
    if (right) {
        MPI_Win_flush(1, window);
    }
}

static void variable_has_gone(void) {
    int *memory;
    MPI_Win window = make_window(&memory);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    if (rank == 0) {
        put_own_variable(window);
    }
    MPI_Win_unlock(1, window); /* B variable_has_gone */
    MPI_Win_free(&window);
}

static MPI_Win __attribute__((noinline)) make_over(int *memory) {
    int own[count];
    MPI_Win window;
    memset(own, 0, sizeof own);
    /* A memory_has_gone */
    MPI_Win_create(right ? memory : own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    return window;
}

static void memory_has_gone(void) {
    int memory[count] = {0};
    MPI_Win window = make_over(memory);
    MPI_Win_fence(0, window); /* B memory_has_gone */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv) {
    static void (*const all[])(void) = {
        get_then_load,
        put_then_store,
        store_at_target,
        barrier_without_flush,
        copied_from_window,
        sent_then_stored,
        received_then_loaded,
        reduced_then_loaded,
        started_then_stored,
        attached_then_stored,
        loaded_while_exposed,
        request_then_loaded,
        two_results_in_one_place,
        other_elements,
        sent_from_window,
        lock_between_fences,
        no_last_fence,
        variable_has_gone,
        memory_has_gone,
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    right = argc > 1 && strcmp(argv[1], "right") == 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        all[i]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
