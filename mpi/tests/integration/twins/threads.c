/* SPDX-License-Identifier: Apache-2.0
 * Threads of a rank. */
#include "twins.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static MPI_Request shared_request;
static int shared_data;
static atomic_int begun;

static void in_thread(void *(*function)(void *), pthread_t *thread) {
    pthread_create(thread, NULL, function, NULL);
}

static void *wait_for_shared(void *nothing) {
    MPI_Request mine = shared_request;
    atomic_store(&begun, 1);
    MPI_Wait(&mine, MPI_STATUS_IGNORE); /* A thread_same_request */
    return nothing;
}

/* Both threads wait for the same receive. */
static void thread_same_request(void) {
    pthread_t thread;
    int data = 0;
    MPI_Request own;
    if (rank == 0) {
        MPI_Recv(&data, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(100 * 1000);
        MPI_Send(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Send(&data, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(&shared_data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &shared_request);
    MPI_Irecv(&data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &own);
    in_thread(wait_for_shared, &thread);
    while (!atomic_load(&begun)) {
        usleep(1000);
    }
    MPI_Send(&rank, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    if (right) {
        MPI_Wait(&own, MPI_STATUS_IGNORE);
        pthread_join(thread, NULL);
    } else {
        MPI_Wait(&shared_request, MPI_STATUS_IGNORE); /* A thread_same_request */
        pthread_join(thread, NULL);
        MPI_Wait(&own, MPI_STATUS_IGNORE);
    }
}

static void *duplicate(void *nothing) {
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
    return nothing;
}

/* In two collectives of one communicator: which of them meets which is open. */
static void thread_two_makings(void) {
    pthread_t thread;
    MPI_Comm own, made;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    if (rank == 0) {
        in_thread(duplicate, &thread);
        if (!right) {
            usleep(50 * 1000);
        }
        MPI_Comm_dup(right ? own : MPI_COMM_WORLD, &made);
        pthread_join(thread, NULL);
    } else {
        if (!right) {
            usleep(100 * 1000);
        }
        MPI_Comm_dup(right ? own : MPI_COMM_WORLD, &made);
        duplicate(NULL);
    }
    MPI_Comm_free(&made);
    MPI_Comm_free(&own);
}

static void *finalize(void *nothing) {
    MPI_Finalize(); /* A thread_finalizes */
    return nothing;
}

static void thread_finalizes(void) {
    if (right) {
        return;
    }
    pthread_t thread;
    in_thread(finalize, &thread);
    pthread_join(thread, NULL);
}

/* Each thread has seen that a message is there; the first one takes it. */
static void *take(void *nothing) {
    int data = 0;
    MPI_Status status;
    MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
    atomic_fetch_add(&begun, 1);
    while (!right && atomic_load(&begun) < 2) {
        usleep(1000);
    }
    MPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* A thread_probes */
    return nothing;
}

static void thread_probes(void) {
    pthread_t thread;
    if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        return;
    }
    in_thread(take, &thread);
    if (!right) {
        take(NULL);
    }
    pthread_join(thread, NULL);
}

static MPI_Win window;
static void *lock_too(void *nothing) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); /* A thread_locks */
    MPI_Win_unlock(1, window);
    return nothing;
}

/* An epoch belongs to the rank, not to the thread. */
static void thread_locks(void) {
    int data = 0;
    pthread_t thread;
    MPI_Win mine;
    MPI_Win_create(&data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine);
    if (rank == 0) {
        window = mine;
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, mine);
        if (right) {
            MPI_Win_unlock(1, mine);
        }
        in_thread(lock_too, &thread);
        pthread_join(thread, NULL);
        if (!right) {
            MPI_Win_unlock(1, mine);
        }
    }
    MPI_Win_free(&mine);
}

const struct mistake thread_mistakes[] = {
    {"thread_same_request", thread_same_request, MPI_THREAD_MULTIPLE},
    {"thread_two_makings", thread_two_makings, MPI_THREAD_MULTIPLE},
    {"thread_finalizes", thread_finalizes, MPI_THREAD_MULTIPLE},
    {"thread_probes", thread_probes, MPI_THREAD_MULTIPLE},
    {"thread_locks", thread_locks, MPI_THREAD_MULTIPLE},
    {0},
};
