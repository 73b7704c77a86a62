/* SPDX-License-Identifier: Apache-2.0
 * Windows: epochs, what they expose, and what the program has promised of them. */
#include "twins.h"

enum { count = 4 };

static MPI_Win make(MPI_Info info) {
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(count * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < count; ++i) {
        memory[i] = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return window;
}

static void window_outside(void) {
    int value[2] = {1, 2};
    MPI_Win window = make(MPI_INFO_NULL);
    MPI_Win_fence(0, window);
    MPI_Put(value, 2, MPI_INT, 1 - rank, right ? 2 : 3, 2, MPI_INT, window); /* A window_outside */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void window_not_attached(void) {
    int data[2 * count] = {0}, value = 1;
    MPI_Aint places[2], place;
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, data, count * sizeof *data);
    MPI_Get_address(data + (right ? 0 : count), &place);
    MPI_Allgather(&place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, places[1 - rank], 1, MPI_INT, window); /* A window_not_attached */
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window, data);
    MPI_Win_free(&window);
}

static void window_attached_twice(void) {
    int data[2 * count] = {0};
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, data, count * sizeof *data);
    MPI_Win_attach(window, data + (right ? count : 1), count * sizeof *data); /* A window_attached_twice */
    MPI_Win_detach(window, data);
    MPI_Win_detach(window, data + (right ? count : 1));
    MPI_Win_free(&window);
}

static void window_no_epoch(void) {
    int value = 1;
    MPI_Win window = make(MPI_INFO_NULL);
    if (right) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
    }
    MPI_Put(&value, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, window); /* A window_no_epoch */
    if (right) {
        MPI_Win_unlock(1 - rank, window);
    }
    MPI_Win_free(&window);
}

static void window_freed_locked(void) {
    MPI_Win window = make(MPI_INFO_NULL);
    MPI_Win_lock_all(0, window);
    if (right) {
        MPI_Win_unlock_all(window);
    }
    MPI_Win_free(&window); /* A window_freed_locked */
}

/* The target exposes its window to itself. */
static void window_other_group(void) {
    const int other = 1 - rank, mine = right || rank == 0 ? other : rank;
    int value = 1;
    MPI_Group all, peer;
    MPI_Win window = make(MPI_INFO_NULL);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &mine, &peer);
    if (rank == 0) {
        MPI_Win_start(peer, 0, window); /* the wait for the post comes here or at the put */
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(peer, 0, window);
        MPI_Win_wait(window); /* A window_other_group */
    }
    MPI_Group_free(&peer);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}

static void window_compared_type(void) {
    double value = 1, other = 2, result;
    long number = 1, another = 2, before;
    MPI_Win window = make(MPI_INFO_NULL);
    MPI_Win_lock_all(0, window);
    if (right) {
        MPI_Compare_and_swap(&number, &another, &before, MPI_LONG, 1 - rank, 0, window);
    } else {
        MPI_Compare_and_swap(&value, &other, &result, MPI_DOUBLE, 1 - rank, 0,
                             window); /* A window_compared_type */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* The info says that all accumulates of a place are the same operation. */
static void window_same_op(void) {
    int value = 1;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ops", "same_op");
    MPI_Win window = make(info);
    MPI_Info_free(&info);
    MPI_Win_fence(0, window);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, right || rank == 0 ? MPI_SUM : MPI_PROD,
                   window); /* A window_same_op */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* The fence says that nothing will be put to this rank. */
static void window_noput(void) {
    int value = 1;
    MPI_Win window = make(MPI_INFO_NULL);
    MPI_Win_fence(!right && rank == 1 ? MPI_MODE_NOPUT : 0, window); /* A window_noput */
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* The info says that there will be no locks. */
static void window_no_locks(void) {
    int value = 1;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", right ? "false" : "true");
    MPI_Win window = make(info);
    MPI_Info_free(&info);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window); /* A window_no_locks */
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_unlock(1 - rank, window);
    MPI_Win_free(&window);
}

/* The value of a fetch is looked at before it is there. */
static void window_result_changed(void) {
    int one = 1, before = 0;
    MPI_Win window = make(MPI_INFO_NULL);
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(&one, &before, MPI_INT, 1 - rank, 0, MPI_SUM, window); /* A window_result_changed */
    if (right) {
        MPI_Win_flush(1 - rank, window);
    }
    before = 5;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void window_request_left(void) {
    int value = 1;
    MPI_Request request;
    MPI_Win window = make(MPI_INFO_NULL);
    MPI_Win_lock_all(0, window);
    MPI_Rput(&value, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, window, &request); /* A window_request_left */
    if (right) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

const struct mistake window_mistakes[] = {
    {"window_outside", window_outside, MPI_THREAD_SINGLE},
    {"window_not_attached", window_not_attached, MPI_THREAD_SINGLE},
    {"window_attached_twice", window_attached_twice, MPI_THREAD_SINGLE},
    {"window_no_epoch", window_no_epoch, MPI_THREAD_SINGLE},
    {"window_freed_locked", window_freed_locked, MPI_THREAD_SINGLE},
    {"window_other_group", window_other_group, MPI_THREAD_SINGLE},
    {"window_compared_type", window_compared_type, MPI_THREAD_SINGLE},
    {"window_same_op", window_same_op, MPI_THREAD_SINGLE},
    {"window_noput", window_noput, MPI_THREAD_SINGLE},
    {"window_no_locks", window_no_locks, MPI_THREAD_SINGLE},
    {"window_result_changed", window_result_changed, MPI_THREAD_SINGLE},
    {"window_request_left", window_request_left, MPI_THREAD_SINGLE},
    {0},
};
