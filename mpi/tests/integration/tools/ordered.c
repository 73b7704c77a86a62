/* SPDX-License-Identifier: Apache-2.0
 * Memory that ranks, and threads of a rank, hand over by MPI calls: nothing for ThreadSanitizer to report.
 * With an argument one access is in no order with another one, and the line bears the argument's name.
 *
 * Ranks share the words of a window. In each step a rank writes a word of its own, a call orders that, and
 * others read it.
 */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, LONG = 300000 };

static const char *planted = "";
static int rank, size, errors;
static int *words; /* shared by all ranks */
static MPI_Win window;
static MPI_Comm comm;
static char given[LONG], taken[LONG];

static int plants(const char *race) {
    return strcmp(planted, race) == 0;
}

static void expect(int found, int wanted) {
    errors += found != wanted;
}

/* ---- messages ---- */

static void send_short_and_long(int word) {
    int got = 0;
    if (rank == 0) {
        words[word] = 5;
        MPI_Send(&got, 1, MPI_INT, 1, 0, comm);
        if (plants("after_send")) {
            words[word] = 5; /* after_send */
        }
        words[word + 1] = 6;
        MPI_Send(given, LONG, MPI_CHAR, 1, 1, comm);
    } else if (rank == 1) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
        expect(words[word], 5);
        MPI_Recv(taken, LONG, MPI_CHAR, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        expect(words[word + 1], 6);
    }
}

/* A synchronous send says that its receive has begun. */
static void send_synchronously(int word) {
    int got = 0;
    if (rank == 0) {
        MPI_Ssend(&got, 1, MPI_INT, 1, 0, comm);
        expect(words[word], 7);
        MPI_Request request;
        MPI_Issend(&got, 1, MPI_INT, 1, 1, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(words[word + 1], 8);
    } else if (rank == 1) {
        words[word] = 7;
        MPI_Recv(&got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        words[word + 1] = 8;
        MPI_Request request;
        MPI_Irecv(&got, 1, MPI_INT, 0, 1, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void exchange(int word) {
    const int peer = rank ^ 1;
    int give = rank, take = 0;
    MPI_Request requests[2];
    words[word + rank] = rank;
    MPI_Irecv(&take, 1, MPI_INT, peer, 0, comm, &requests[0]);
    MPI_Isend(&give, 1, MPI_INT, peer, 0, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(words[word + peer], peer);

    words[word + 4 + rank] = rank;
    MPI_Sendrecv(&give, 1, MPI_INT, peer, 1, &take, 1, MPI_INT, peer, 1, comm, MPI_STATUS_IGNORE);
    expect(words[word + 4 + peer], peer);

    MPI_Send_init(&give, 1, MPI_INT, peer, 2, comm, &requests[0]);
    MPI_Recv_init(&take, 1, MPI_INT, peer, 2, comm, &requests[1]);
    words[word + 8 + rank] = rank;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(words[word + 8 + peer], peer);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void probe(int word) {
    int got = 0;
    if (rank == 0) {
        words[word] = 9;
        MPI_Send(&got, 1, MPI_INT, 1, 0, comm);
        words[word + 1] = 10;
        MPI_Send(&got, 1, MPI_INT, 1, 1, comm);
    } else if (rank == 1) {
        MPI_Status status;
        MPI_Message message;
        MPI_Probe(0, 0, comm, &status);
        expect(words[word], 9);
        MPI_Recv(&got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        for (int found = 0; !found;) {
            MPI_Improbe(MPI_ANY_SOURCE, 1, comm, &found, &message, &status);
        }
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        expect(words[word + 1], 10);
    }
}

static void send_partitions(int word) {
    MPI_Request request;
    char bytes[8] = {0};
    if (rank == 0) {
        MPI_Psend_init(bytes, 2, 4, MPI_CHAR, 1, 0, comm, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        words[word] = 11;
        MPI_Pready(0, request);
        words[word + 1] = 12;
        MPI_Pready(1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (rank == 1) {
        MPI_Precv_init(bytes, 2, 4, MPI_CHAR, 0, 0, comm, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int here = 0; !here;) {
            MPI_Parrived(request, 0, &here);
        }
        expect(words[word], 11);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(words[word + 1], 12);
        MPI_Request_free(&request);
    }
}

/* ---- collectives ---- */

static void expect_all(int word) {
    for (int each = 0; each < size; ++each) {
        expect(words[word + each], each);
    }
}

static void call_collectives(int word) {
    int one = 1, all[16], sum = 0;
    words[word + rank] = rank;
    MPI_Barrier(comm);
    expect_all(word);
    words[word + 4 + rank] = rank;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect_all(word + 4);

    if (rank == 0) {
        words[word + 8] = 13;
    } else if (rank == 1 && plants("before_bcast")) {
        words[word + 9] = 14; /* before_bcast */
    }
    MPI_Bcast(&one, 1, MPI_INT, 0, comm);
    expect(words[word + 8], 13);
    if (rank == 0 && plants("before_bcast")) {
        errors += words[word + 9] == 15; /* nobody has told the root */
    }
    MPI_Barrier(comm);

    words[word + 12 + rank] = rank;
    MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, 2, comm);
    if (rank == 2) {
        expect_all(word + 12);
    }
    words[word + 16 + rank] = rank;
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int before = 0; before <= rank; ++before) {
        expect(words[word + 16 + before], before);
    }

    MPI_Request request;
    words[word + 20 + rank] = rank;
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all(word + 20);
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (int time = 0; time < 3; ++time) {
        words[word + 24 + rank] = rank + time;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(words[word + 24 + (rank ^ 1)], (rank ^ 1) + time);
        MPI_Barrier(comm);
    }
    MPI_Request_free(&request);

    MPI_Comm copy;
    words[word + 28 + rank] = rank;
    MPI_Comm_dup(comm, &copy);
    expect_all(word + 28);
    MPI_Comm_free(&copy);
}

/* Each user of the function gives it buffers that other ranks have written. */
static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *length; ++i) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}

static void reduce_by_function(void) {
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    for (int round = 0; round < 10; ++round) {
        int one[3] = {1, 1, round}, sum[3];
        MPI_Allreduce(one, sum, 3, MPI_INT, op, comm);
        expect(sum[0], size);
        MPI_Reduce(one, sum, 3, MPI_INT, op, 1, comm);
        expect(rank == 1 ? sum[2] : size * round, size * round);
    }
    MPI_Op_free(&op);
}

/* ---- windows ---- */

static void synchronise_window(int word) {
    words[word + rank] = rank;
    MPI_Win_fence(0, window);
    expect_all(word);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);

    const int lock = plants("shared_locks") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    for (int time = 0; time < 4; ++time) {
        MPI_Win_lock(lock, 0, 0, window);
        words[word + 4] += 1; /* shared_locks */
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(comm);
    errors += !plants("shared_locks") && words[word + 4] != 4 * size;
    MPI_Barrier(comm);

    MPI_Group all, peer;
    const int number = rank ^ 1;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &number, &peer);
    if (rank % 2 == 0) {
        words[word + 6 + rank] = 15;
        MPI_Win_post(peer, 0, window);
        MPI_Win_wait(window);
        expect(words[word + 7 + rank], 16);
    } else {
        MPI_Win_start(peer, 0, window);
        expect(words[word + 5 + rank], 15);
        words[word + 6 + rank] = 16;
        MPI_Win_complete(window);
    }
    MPI_Group_free(&peer);
    MPI_Group_free(&all);
}

/* A flag that ranks change atomically; `word` is at a multiple of the rank's part of the window. */
static void update_atomically(int word) {
    int one = 1, flag = 0;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        words[word] = 17;
        MPI_Win_sync(window);
        MPI_Fetch_and_op(&one, &flag, MPI_INT, 0, word + 1, MPI_REPLACE, window);
        MPI_Win_flush(0, window);
    } else {
        while (flag == 0) {
            MPI_Fetch_and_op(NULL, &flag, MPI_INT, 0, word + 1, MPI_NO_OP, window);
            MPI_Win_flush(0, window);
        }
        MPI_Win_sync(window);
        expect(words[word], 17);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(comm);
}

/* ---- threads of a rank ---- */

static int handed;
static MPI_Request awaited;

static void *send_to_self(void *unused) {
    int none = 0;
    handed = 18;
    MPI_Send(&none, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
    if (plants("threads")) {
        handed = 18; /* threads */
    }
    return unused;
}

static void *wait_and_read(void *unused) {
    MPI_Wait(&awaited, MPI_STATUS_IGNORE);
    expect(handed, 18);
    return unused;
}

static int query(void *state, MPI_Status *status) {
    (void)state;
    return MPI_Status_set_elements(status, MPI_INT, 0);
}
static int no_state(void *state) {
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void *complete_request(void *request) {
    handed = 18;
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

/* Another rank passes on what the one thread says to the other one. */
static void *send_round(void *unused) {
    int none = 0;
    handed = 18;
    MPI_Send(&none, 1, MPI_INT, (rank + 1) % size, 4, comm);
    return unused;
}
static void *receive_round(void *unused) {
    int none = 0;
    MPI_Recv(&none, 1, MPI_INT, (rank + 1) % size, 5, comm, MPI_STATUS_IGNORE);
    expect(handed, 18);
    return unused;
}

static void run_both(void *(*one)(void *), void *argument, void *(*other)(void *)) {
    pthread_t first, second;
    pthread_create(&first, NULL, one, argument);
    pthread_create(&second, NULL, other, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

static void hand_over_between_threads(void) {
    int none = 0;
    MPI_Irecv(&none, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &awaited);
    run_both(send_to_self, NULL, wait_and_read);

    MPI_Grequest_start(query, no_state, cancel, NULL, &awaited);
    MPI_Request completed = awaited;
    run_both(complete_request, &completed, wait_and_read);

    pthread_t first, second;
    pthread_create(&first, NULL, send_round, NULL);
    pthread_create(&second, NULL, receive_round, NULL);
    const int last = (rank + size - 1) % size;
    MPI_Recv(&none, 1, MPI_INT, last, 4, comm, MPI_STATUS_IGNORE);
    MPI_Send(&none, 1, MPI_INT, last, 5, comm);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

/* Memory of MPI_Alloc_mem that another rank had before. */
static void use_memory_again(void) {
    for (int time = 0; time < 4; ++time) {
        char *memory;
        MPI_Alloc_mem(100000, MPI_INFO_NULL, &memory);
        memset(memory, rank, 100000);
        MPI_Free_mem(memory);
    }
}

int main(int argc, char **argv) {
    int level = 0, *own = NULL;
    planted = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const MPI_Aint bytes = rank == 0 ? 16 * WORDS * sizeof(int) : 0;
    MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, comm, &own, &window);
    MPI_Aint whole = 0;
    int unit = 0;
    MPI_Win_shared_query(window, 0, &whole, &unit, &words);
    if (rank == 0) {
        memset(words, 0, (size_t)bytes);
    }
    MPI_Barrier(comm);

    send_short_and_long(0);
    send_synchronously(2);
    exchange(WORDS);
    probe(4);
    send_partitions(6);
    call_collectives(2 * WORDS);
    reduce_by_function();
    synchronise_window(3 * WORDS);
    update_atomically(8);
    hand_over_between_threads();
    use_memory_again();

    MPI_Win_free(&window);
    MPI_Comm_free(&comm);
    printf("rank %d: %d errors\n", rank, errors);
    MPI_Finalize();
    return errors != 0;
}
