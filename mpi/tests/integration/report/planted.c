/* SPDX-License-Identifier: Apache-2.0
 * Waits of every sort, planted by ranks that sleep. Each rank notes when it comes to each call; rank 0 prints
 * how long each sort of wait is by that, in seconds, as the report is to tell it. With an argument a part of
 * it alone: die rank 1 ends by a signal after the first calls; many N: N messages, and as many reductions;
 * spawn: a job of two ranks that do the same five times
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum sort {
    late_sender,
    late_receiver,
    at_collective,
    late_root,
    early_root,
    in_turn,
    late_neighbour,
    lock_wait,
    sorts
};
static const char *const names[] = {"late sender", "late receiver", "wait at collective", "late root",
                                    "early root",  "in turn",       "late neighbour",     "wait for lock"};
enum { most = 96, pause_us = 100000, grown = 48 << 20 };

static int rank, size;
static double came[most]; /* this rank, to each planted wait; 0: it takes no part */
static enum sort sort_of[most];
static int planted;

/* On all hosts the same time, which MPI_Wtime need not be. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* All meet; then one sleeps. The other ranks' next call comes first. */
static void come_to_collective(void) {
    came[planted] = now();
    sort_of[planted++] = at_collective;
}
static int plant(enum sort sort) {
    come_to_collective();
    MPI_Barrier(MPI_COMM_WORLD);
    sort_of[planted] = sort;
    return planted++;
}
static void arrive(int which) {
    came[which] = now();
}
static void late(int who) {
    if (rank == who) {
        usleep(pause_us);
    }
}

static void messages(void) {
    int value = rank, flag = 0, which;
    static char large[1 << 20];
    MPI_Request request, both[2];
    which = plant(late_sender);
    late(0);
    if (rank < 2)
        arrive(which);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    which = plant(late_sender); /* in a wait for two */
    late(0);
    if (rank == 0) {
        arrive(which);
        MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &both[0]);
        both[1] = MPI_REQUEST_NULL;
        arrive(which);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }

    which = plant(late_sender); /* in tests in vain */
    late(0);
    if (rank == 0) {
        arrive(which);
        MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
        arrive(which);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }

    which = plant(late_sender); /* in a probe */
    late(0);
    if (rank < 2)
        arrive(which);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Probe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    which = plant(late_sender); /* in probes in vain */
    late(0);
    if (rank < 2)
        arrive(which);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (rank == 1) {
        for (flag = 0; !flag;)
            MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    which = plant(late_receiver);
    late(1);
    if (rank < 2)
        arrive(which);
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    which = plant(late_receiver); /* in a wait, by a request that is used again */
    late(1);
    if (rank == 0) {
        MPI_Ssend_init(large, sizeof large, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        arrive(which);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (rank == 1) {
        arrive(which);
        MPI_Recv(large, sizeof large, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 0 has the last of four partitions late, which is in the second of rank 1's two. Then rank 1 receives
 * late. */
static void partitions(void) {
    enum { parts = 4, halves = 2, of_each = 1 << 18 };
    static char large[parts * of_each];
    MPI_Request request = MPI_REQUEST_NULL;
    int which;
    if (rank == 0)
        MPI_Psend_init(large, parts, of_each, MPI_CHAR, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 1)
        MPI_Precv_init(large, halves, parts / halves * of_each, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    for (int polls = 0; polls < 2; ++polls) {
        which = plant(late_sender);
        if (rank == 0) {
            MPI_Start(&request);
            MPI_Pready_range(0, parts - 2, request);
            late(0);
            arrive(which);
            MPI_Pready(parts - 1, request);
        } else if (rank == 1) {
            MPI_Start(&request);
            arrive(which);
            for (int half = 0, arrived = 0; polls && half < halves; half += arrived)
                MPI_Parrived(request, half, &arrived);
        }
        if (rank < 2)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }

    which = plant(late_receiver);
    late(1);
    if (rank == 0) {
        const int all[parts] = {3, 0, 2, 1};
        MPI_Start(&request);
        MPI_Pready_list(parts, all, request);
    }
    if (rank < 2)
        arrive(which);
    if (rank == 1)
        MPI_Start(&request);
    if (rank < 2) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
}

static void collectives(void) {
    int own = rank, all = 0, open_ends = 0, from[2] = {-1, -1}, which;
    MPI_Request request;
    MPI_Comm again, line;
    plant(at_collective);
    come_to_collective();
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_ends, 0, &line); /* while nobody is late */
    which = plant(at_collective);
    late(1);
    arrive(which);
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    which = plant(at_collective); /* of another communicator, in a wait */
    come_to_collective();
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &again);
    late(1);
    arrive(which);
    MPI_Iallreduce(&own, &all, 1, MPI_INT, MPI_SUM, again, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&again);

    which = plant(late_root);
    late(0);
    arrive(which);
    MPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);

    which = plant(early_root);
    late(1);
    arrive(which);
    MPI_Reduce(&own, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);

    which = plant(late_neighbour); /* of rank 1 alone */
    late(2);
    arrive(which);
    MPI_Neighbor_allgather(&own, 1, MPI_INT, from, 1, MPI_INT, line);
    MPI_Comm_free(&line);

    which = plant(in_turn);
    late(0);
    arrive(which);
    MPI_Scan(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 1 has a lock that rank 0 wants, shared by one and exclusive for the other. */
static void locks(void) {
    int value = 0, which;
    MPI_Win window;
    come_to_collective();
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int shares = 0; shares < 2; ++shares) {
        which = plant(lock_wait);
        if (rank == 1) {
            MPI_Win_lock(shares ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 2, 0, window);
            MPI_Get(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
            MPI_Win_flush(2, window);
            MPI_Send(NULL, 0, MPI_INT, 0, 8, MPI_COMM_WORLD);
            late(1);
            arrive(which);
            MPI_Win_unlock(2, window);
        } else if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            arrive(which);
            MPI_Win_lock(shares ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 2, 0, window);
            MPI_Get(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
            if (shares)
                MPI_Win_flush_all(window);
            MPI_Win_unlock(2, window);
        }
        plant(at_collective); /* or rank 2 would wait where nobody notes it */
    }
    come_to_collective();
    MPI_Win_free(&window);
}

/* Rank 0 lets rank 1 in late, and then has done late. */
static void epochs(void) {
    const int zero = 0, one = 1;
    int value = 0, which;
    MPI_Group world, first, second;
    MPI_Win window;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &first);
    MPI_Group_incl(world, 1, &one, &second);
    come_to_collective();
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    which = plant(late_sender);
    late(0);
    if (rank < 2)
        arrive(which);
    if (rank == 0) {
        MPI_Win_post(second, 0, window);
        MPI_Win_wait(window);
    } else if (rank == 1) {
        MPI_Win_start(first, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }

    for (int tested = 0; tested < 2; ++tested) {
        which = plant(late_sender);
        if (rank == 0) {
            MPI_Win_start(second, 0, window);
            late(0);
            arrive(which);
            MPI_Win_complete(window);
        } else if (rank == 1) {
            int flag = 0;
            MPI_Win_post(first, 0, window);
            arrive(which);
            if (!tested)
                MPI_Win_wait(window);
            else
                while (!flag)
                    MPI_Win_test(window, &flag);
        }
    }
    plant(at_collective);
    come_to_collective();
    MPI_Win_free(&window);
    MPI_Group_free(&first);
    MPI_Group_free(&second);
    MPI_Group_free(&world);
}

/* How long a rank has waited for another one by when they came. */
static double wait_of(enum sort sort, const double *times, int waiter) {
    double latest = 0;
    for (int other = 0; other < size; ++other) {
        const int awaited = sort == late_sender      ? waiter == 1 && other == 0
                            : sort == late_receiver  ? waiter == 0 && other == 1
                            : sort == late_root      ? other == 0
                            : sort == early_root     ? waiter == 0
                            : sort == in_turn        ? other < waiter
                            : sort == late_neighbour ? abs(other - waiter) == 1
                            : sort == lock_wait      ? waiter == 0 && other == 1
                                                     : 1;
        if (other != waiter && awaited && times[other] > latest)
            latest = times[other];
    }
    return times[waiter] > 0 && latest > times[waiter] ? latest - times[waiter] : 0;
}

static void tell(void) {
    double sums[sorts] = {0}, *times = malloc(sizeof *times * (size_t)size);
    for (int which = 0; which < planted; ++which) {
        PMPI_Gather(&came[which], 1, MPI_DOUBLE, times, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* not recorded */
        for (int waiter = 0; rank == 0 && waiter < size; ++waiter)
            sums[sort_of[which]] += wait_of(sort_of[which], times, waiter);
    }
    for (int sort = 0; rank == 0 && sort < sorts; ++sort)
        printf("%s: %.6f\n", names[sort], sums[sort]);
    free(times);
    /* Nobody is to wait in MPI_Finalize, where nobody notes it. */
    double all_go_on = now() + 0.1;
    PMPI_Bcast(&all_go_on, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (all_go_on > now())
        usleep((useconds_t)(1e6 * (all_go_on - now())));
}

static void many(long count) {
    double value = rank, sum = 0;
    for (long i = 0; i < count; ++i) {
        MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, &sum, 1, MPI_DOUBLE,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* Rank 0 of the spawned job sends to rank 0 of this one. */
static void spawn(const char *program) {
    char words[2][8] = {"many", "5"}, *arguments[] = {words[0], words[1], NULL};
    MPI_Comm children;
    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, children, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&children);
}

static void greet_parents(void) {
    MPI_Comm parents;
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL) {
        if (rank == 0)
            MPI_Send(NULL, 0, MPI_INT, 0, 0, parents);
        MPI_Comm_disconnect(&parents);
    }
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count > 2 && strcmp(words[1], "many") == 0) {
        many(atol(words[2]));
        greet_parents();
    } else if (count > 1 && strcmp(words[1], "spawn") == 0) {
        spawn(words[0]);
    } else if (count > 1 && strcmp(words[1], "die") == 0) {
        many(10);
        if (rank == 1)
            kill(getpid(), SIGKILL);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        volatile char *const block = rank == 1 ? malloc(grown) : NULL;
        messages();
        for (size_t at = 0; block != NULL && at < grown; at += 4096)
            block[at] = 1;
        partitions();
        MPI_Pcontrol(2);
        collectives();
        locks();
        epochs();
        free((void *)block);
        tell();
    }
    MPI_Finalize();
    return 0;
}
