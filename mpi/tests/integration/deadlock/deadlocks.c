/* SPDX-License-Identifier: Apache-2.0
 * A program whose ranks wait for each other, in the way that the argument names; with some they only
 * seem to. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int rank, size, token, left, right;
static const int pause_microseconds = 600 * 1000; /* longer than all have to sleep before anybody looks */

static void receive(int from, int tag, MPI_Comm comm) {
    MPI_Recv(&token, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
}

static void send(int to, int tag, MPI_Comm comm) {
    const int nothing = 0; /* no token: one thread may send while another receives */
    MPI_Send(&nothing, 1, MPI_INT, to, tag, comm);
}

static void ring(void) {
    receive(left, 7, MPI_COMM_WORLD);
}

static void synchronous(void) {
    MPI_Ssend(&token, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
}

static void probe(void) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each rank may be sent to by the others, but they wait as well, and what has come has another tag. */
static void wildcards(void) {
    if (rank == 0) {
        send(1, 8, MPI_COMM_WORLD);
    }
    receive(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD);
}

static void missing(void) {
    if (rank != 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void finalize(void) {
    if (rank == 0) {
        receive(right, 7, MPI_COMM_WORLD);
    }
}

/* The messages of MPI_Finalize are not the program's, and fit no receive. */
static void receive_and_finalize(void) {
    MPI_Comm twin;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &twin);
    if (rank == 0) {
        receive(MPI_ANY_SOURCE, 0, twin);
    }
}

static void window_and_finalize(void) {
    if (rank == 0) {
        MPI_Win window;
        MPI_Win_create(&token, sizeof token, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    }
}

static void file_and_finalize(void) {
    if (rank == 0) {
        MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    }
}

static void fence_and_free(void) {
    MPI_Win window;
    MPI_Win_create(&token, sizeof token, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
}

/* Rank 0 never marks its third partition. */
static void unmarked_partition(void) {
    static double data[12];
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
        MPI_Psend_init(data, 4, 3, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Pready(3, request);
    } else if (rank == 1) {
        MPI_Precv_init(data, 4, 3, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void *receive_tagged(void *tag) {
    int data = 0;
    MPI_Recv(&data, 1, MPI_INT, left, *(const int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void two_threads(void) {
    static const int tags[2] = {11, 12};
    pthread_t other;
    pthread_create(&other, NULL, receive_tagged, (void *)&tags[1]);
    receive_tagged((void *)&tags[0]);
    pthread_join(other, NULL);
}

static void other_tag(void) {
    send(right, 8, MPI_COMM_WORLD);
    receive(left, 7, MPI_COMM_WORLD);
}

static void other_communicator(void) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_name(twin, "twin");
    send(right, 7, twin);
    receive(left, 7, MPI_COMM_WORLD);
}

static void long_sends(void) {
    enum { bytes = 4 << 20 };
    char *const buffer = calloc(2, bytes);
    MPI_Send(buffer, bytes, MPI_CHAR, right, 5, MPI_COMM_WORLD);
    MPI_Recv(buffer + bytes, bytes, MPI_CHAR, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(buffer);
}

/* Ends wherever a message of this length leaves its sender before it is received. */
static void short_sends(void) {
    int out[100] = {0}, in[100];
    MPI_Send(out, 100, MPI_INT, right, 5, MPI_COMM_WORLD);
    MPI_Recv(in, 100, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for_all(void) {
    MPI_Request all[3];
    int in[2];
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(&token, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &all[2]);
    MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
}

static void wait_for_any(void) {
    MPI_Request all[2];
    int in[2], index;
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &all[1]);
    MPI_Waitany(2, all, &index, MPI_STATUS_IGNORE);
}

static void other_members(void) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Barrier(rank == 0 ? MPI_COMM_WORLD : twin);
    MPI_Barrier(rank == 0 ? twin : MPI_COMM_WORLD);
}

static void non_blocking_collective(void) {
    if (rank != 0) {
        MPI_Request one;
        MPI_Ibarrier(MPI_COMM_WORLD, &one);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
}

/* ---- what only seems to stand still ---- */

static int query(void *state, MPI_Status *status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int forget(void *state) {
    (void)state;
    return MPI_SUCCESS;
}
static int stop(void *state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void *complete_later(void *request) {
    usleep(pause_microseconds);
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

static void generalized(void) {
    MPI_Request one;
    pthread_t thread;
    MPI_Grequest_start(query, forget, stop, NULL, &one);
    MPI_Request theirs = one;
    pthread_create(&thread, NULL, complete_later, &theirs);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
}

static MPI_Request completed_by_handler;
static void complete_now(int signal) {
    (void)signal;
    MPI_Grequest_complete(completed_by_handler);
}

static void generalized_by_handler(void) {
    MPI_Grequest_start(query, forget, stop, NULL, &completed_by_handler);
    MPI_Request mine = completed_by_handler;
    signal(SIGALRM, complete_now);
    const struct itimerval once = {{0, 0}, {1, 0}};
    setitimer(ITIMER_REAL, &once, NULL);
    MPI_Wait(&mine, MPI_STATUS_IGNORE);
}

/* Rank 0 completes its own request after it has waited for it: never. */
static void uncompleted(void) {
    if (rank == 0) {
        MPI_Request one;
        MPI_Grequest_start(query, forget, stop, NULL, &one);
        MPI_Request same = one;
        MPI_Wait(&one, MPI_STATUS_IGNORE);
        MPI_Grequest_complete(same);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *send_later(void *argument) {
    usleep(pause_microseconds);
    send(right, 3, MPI_COMM_WORLD);
    return argument;
}

static void thread_sends(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, send_later, NULL);
    receive(left, 3, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
}

/* Any thread may use a session, whatever level the world model was given. */
static void thread_of_a_session_sends(void) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    thread_sends();
    MPI_Session_finalize(&session);
}

static void computes(void) {
    if (rank == 0) {
        usleep(pause_microseconds);
        for (int to = 1; to < size; ++to) {
            send(to, 4, MPI_COMM_WORLD);
        }
    } else {
        receive(0, 4, MPI_COMM_WORLD);
    }
}

static void one_sleeps(void) {
    if (rank == 1) {
        sleep(60);
    } else {
        receive(1, 4, MPI_COMM_WORLD);
    }
}

static void tests_in_a_loop(void) {
    if (rank == 1) {
        MPI_Request one;
        int done = 0;
        MPI_Irecv(&token, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, &one);
        while (!done) {
            MPI_Test(&one, &done, MPI_STATUS_IGNORE);
        }
    } else {
        receive(1, 4, MPI_COMM_WORLD);
    }
}

/* ---- some stand still, and rank 2 computes ---- */

enum { compute_seconds = 60 };

static void pair(void) {
    if (rank != 2) {
        receive(1 - rank, 7, MPI_COMM_WORLD);
    } else {
        sleep(compute_seconds);
    }
}

/* The rank that finds that all wait is in one pair, and the other pair is stuck without it. */
static void pairs(void) {
    receive(rank ^ 1, 7, MPI_COMM_WORLD);
}

static void pair_that_is_sent_to(void) {
    if (rank != 2) {
        receive(1 - rank, 7, MPI_COMM_WORLD);
    } else {
        usleep(pause_microseconds);
        send(0, 8, MPI_COMM_WORLD);
        sleep(compute_seconds);
    }
}

static void pair_in_own_collective(void) {
    MPI_Comm both;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &both);
    if (rank == 0) {
        MPI_Barrier(both);
    } else if (rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 7, both, MPI_STATUS_IGNORE);
    } else {
        sleep(compute_seconds);
    }
}

/* Nobody but these two can send on their communicator. */
static void wildcards_of_a_pair(void) {
    MPI_Comm both;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &both);
    if (rank == 2) {
        sleep(compute_seconds);
    }
    receive(MPI_ANY_SOURCE, MPI_ANY_TAG, both);
}

static void one_of_itself(void) {
    if (rank == 0) {
        MPI_Ssend(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    } else if (rank == 1) {
        receive(2, 7, MPI_COMM_WORLD);
    } else {
        sleep(compute_seconds);
    }
}

/* ---- they can be woken ---- */

enum { long_pause_seconds = 4 }; /* longer than it takes to look twice and ask */

static void any_source(void) {
    if (rank == 0) {
        receive(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD);
        send(1, 7, MPI_COMM_WORLD);
    } else if (rank == 1) {
        receive(0, 7, MPI_COMM_WORLD);
    } else {
        sleep(long_pause_seconds);
        send(0, 7, MPI_COMM_WORLD);
    }
}

static void any_request(void) {
    if (rank == 0) {
        MPI_Request both[2];
        int in[2], index;
        MPI_Irecv(&in[0], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &both[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &both[1]);
        MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
        send(1, 7, MPI_COMM_WORLD);
        MPI_Wait(&both[1 - index], MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        receive(0, 7, MPI_COMM_WORLD);
        send(0, 7, MPI_COMM_WORLD);
    } else {
        sleep(long_pause_seconds);
        send(0, 7, MPI_COMM_WORLD);
    }
}

static void late_to_collective(void) {
    int sum = 0;
    if (rank == 2) {
        sleep(long_pause_seconds);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 2 feeds the others, which wait for each other and for it in turn. */
static void fed(void) {
    for (int i = 0; i < long_pause_seconds * 4; ++i) {
        if (rank == 2) {
            usleep(250 * 1000);
            send(0, 7, MPI_COMM_WORLD);
        } else if (rank == 0) {
            receive(2, 7, MPI_COMM_WORLD);
            send(1, 7, MPI_COMM_WORLD);
            receive(1, 7, MPI_COMM_WORLD);
        } else {
            receive(0, 7, MPI_COMM_WORLD);
            send(0, 7, MPI_COMM_WORLD);
        }
    }
}

static void busy(void) {
    enum { rounds = 2000 };
    for (int i = 0; i < rounds; ++i) {
        MPI_Sendrecv(&i, 1, MPI_INT, right, 6, &token, 1, MPI_INT, left, 6, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

struct way {
    const char *name;
    void (*take)(void);
};
static const struct way ways[] = {{"ring", ring},
                                  {"other_tag", other_tag},
                                  {"other_communicator", other_communicator},
                                  {"synchronous", synchronous},
                                  {"long_sends", long_sends},
                                  {"short_sends", short_sends},
                                  {"wildcards", wildcards},
                                  {"waitall", wait_for_all},
                                  {"waitany", wait_for_any},
                                  {"probe", probe},
                                  {"other_members", other_members},
                                  {"missing", missing},
                                  {"non_blocking", non_blocking_collective},
                                  {"finalize", finalize},
                                  {"receive_and_finalize", receive_and_finalize},
                                  {"window_and_finalize", window_and_finalize},
                                  {"file_and_finalize", file_and_finalize},
                                  {"fence_and_free", fence_and_free},
                                  {"unmarked_partition", unmarked_partition},
                                  {"two_threads", two_threads},
                                  {"generalized", generalized},
                                  {"generalized_by_handler", generalized_by_handler},
                                  {"uncompleted", uncompleted},
                                  {"thread_sends", thread_sends},
                                  {"thread_of_a_session_sends", thread_of_a_session_sends},
                                  {"computes", computes},
                                  {"one_sleeps", one_sleeps},
                                  {"tests_in_a_loop", tests_in_a_loop},
                                  {"busy", busy},
                                  {"pair", pair},
                                  {"pairs", pairs},
                                  {"pair_that_is_sent_to", pair_that_is_sent_to},
                                  {"pair_in_own_collective", pair_in_own_collective},
                                  {"wildcards_of_a_pair", wildcards_of_a_pair},
                                  {"one_of_itself", one_of_itself},
                                  {"any_source", any_source},
                                  {"any_request", any_request},
                                  {"late_to_collective", late_to_collective},
                                  {"fed", fed}};

static void (*way_of(const char *name))(void) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        if (strcmp(ways[i].name, name) == 0) {
            return ways[i].take;
        }
    }
    fprintf(stderr, "there is no way '%s'\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    const char *const how = argc > 1 ? argv[1] : "ring";
    const int threads = strcmp(how, "thread_sends") == 0 || strcmp(how, "generalized") == 0 ||
                        strcmp(how, "two_threads") == 0;
    int provided;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    void (*const chosen)(void) = way_of(how);
    chosen();
    MPI_Finalize();
    if (rank == 0) {
        printf("all ended\n");
    }
    return 0;
}
