/* SPDX-License-Identifier: Apache-2.0
   Programs whose outcome depends on the order in which messages come, each with a mistake that some order
   shows, and the same without it: orders NAME [right]. Those that only count have no mistake. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { work = 1, result = 2, control = 3 };
static int rank, size, right;
#define WORLD MPI_COMM_WORLD

static void give(int value, int dest, int tag) {
    MPI_Send(&value, 1, MPI_INT, dest, tag, WORLD);
}

static int get(int source, int tag, MPI_Status *status) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, source, tag, WORLD, status);
    return value;
}

static void must(int holds) {
    if (!holds && !right) {
        MPI_Abort(WORLD, 3);
    }
}

/* ---- two receives from any source ---- */

static void first_two(void) {
    MPI_Status status;
    if (rank == 0) {
        for (int i = 1; i < size; ++i) {
            get(MPI_ANY_SOURCE, work, &status);
            must(status.MPI_SOURCE == i);
        }
    } else {
        give(rank, 0, work);
    }
}

/* Of two messages either can be taken first, and then the other is not there for the second receive. */
static void named_second(void) {
    MPI_Status status;
    if (rank == 0) {
        get(MPI_ANY_SOURCE, work, &status);
        get(right ? 3 - status.MPI_SOURCE : 2, work, &status);
    } else {
        give(rank, 0, work);
    }
}

/* The message of rank 2, sent after the barrier, may be taken by the receive that was posted before it. */
static void crooked_barrier(void) {
    int value = -1;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        MPI_Isend(&rank, 1, MPI_INT, 1, work, WORLD, &request);
        MPI_Barrier(WORLD);
        MPI_Wait(&request, &status);
    } else if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, work, WORLD, &request);
        MPI_Barrier(WORLD);
        MPI_Wait(&request, &status);
        must(status.MPI_SOURCE == 0);
        get(MPI_ANY_SOURCE, work, &status);
    } else {
        MPI_Barrier(WORLD);
        give(rank, 1, work);
    }
}

/* What rank 2 sends comes after rank 1's message to rank 0, but on another way. */
static void relay(void) {
    MPI_Status status;
    if (rank == 0) {
        get(MPI_ANY_SOURCE, work, &status);
        must(status.MPI_SOURCE == 1);
        get(MPI_ANY_SOURCE, work, &status);
    } else if (rank == 1) {
        give(1, 0, work);
        give(1, 2, control);
    } else {
        get(1, control, &status);
        give(2, 0, work);
    }
}

/* Rank 3's message comes only if its own receive has been served, while rank 0 still waits. */
static void late_message(void) {
    MPI_Status status;
    if (rank == 0) {
        get(MPI_ANY_SOURCE, work, &status);
        must(status.MPI_SOURCE != 3);
        get(MPI_ANY_SOURCE, work, &status);
    } else if (rank == 1) {
        give(1, 0, work);
    } else if (rank == 2) {
        give(2, 3, control);
    } else {
        get(MPI_ANY_SOURCE, control, &status);
        give(3, 0, work);
    }
}

/* The same, and a receive from rank 2 alone takes that message as soon as it comes. */
static void late_named(void) {
    MPI_Status status;
    if (rank == 0) {
        get(MPI_ANY_SOURCE, work, &status);
        must(status.MPI_SOURCE != 2);
        get(3 - status.MPI_SOURCE, work, &status);
    } else if (rank == 1) {
        give(1, 0, work);
    } else if (rank == 2) {
        get(MPI_ANY_SOURCE, control, &status);
        get(MPI_ANY_SOURCE, control, &status);
        give(2, 0, work);
    } else {
        give(rank, 2, control);
    }
}

/* ---- tags ---- */

static void any_tag(void) {
    MPI_Status status;
    if (rank == 0) {
        for (int i = 1, ended = 0; i < size; ++i) {
            get(MPI_ANY_SOURCE, MPI_ANY_TAG, &status);
            must(!(ended && status.MPI_TAG == work));
            ended |= status.MPI_TAG == control;
        }
    } else {
        give(rank, 0, rank == size - 1 ? control : work);
    }
}

/* ---- probes ---- */

static void late_probe(void) {
    int values[4] = {0}, count = 0;
    MPI_Status status;
    if (rank == 0) {
        for (int i = 1; i < size; ++i) {
            MPI_Probe(MPI_ANY_SOURCE, work, WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Recv(values, count, MPI_INT, right ? status.MPI_SOURCE : MPI_ANY_SOURCE, work, WORLD,
                     &status);
        }
    } else {
        MPI_Send(values, rank, MPI_INT, 0, work, WORLD);
    }
}

static void matched_probe(void) {
    MPI_Message message;
    MPI_Status status;
    int value = 0;
    if (rank == 0) {
        for (int i = 1; i < size; ++i) {
            MPI_Mprobe(MPI_ANY_SOURCE, work, WORLD, &message, &status);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
            must(value == i);
        }
    } else {
        give(rank, 0, work);
    }
}

/* Who looks once and goes on leaves the message lying there. */
static void one_look(void) {
    int flag = 0;
    if (rank == 0) {
        do {
            MPI_Iprobe(MPI_ANY_SOURCE, work, WORLD, &flag, MPI_STATUS_IGNORE);
        } while (right && !flag);
        if (flag) {
            get(MPI_ANY_SOURCE, work, MPI_STATUS_IGNORE);
        }
    } else if (rank == 1) {
        give(rank, 0, work);
    }
}

/* ---- completions ---- */

static void wait_any(void) {
    int values[2] = {0}, place = -1;
    MPI_Request requests[2];
    if (rank == 0) {
        for (int i = 0; i < 2; ++i) {
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, work, WORLD, &requests[i]);
        }
        MPI_Waitany(2, requests, &place, MPI_STATUS_IGNORE);
        must(place == 0);
        MPI_Waitany(2, requests, &place, MPI_STATUS_IGNORE);
    } else if (rank <= 2) {
        give(rank, 0, work);
    }
}

static void test_some(void) {
    int values[2] = {0}, places[2], count = 0;
    MPI_Request requests[2];
    if (rank == 0) {
        for (int i = 0; i < 2; ++i) {
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, work, WORLD, &requests[i]);
        }
        for (int done = 0; done < 2; done += count) {
            MPI_Testsome(2, requests, &count, places, MPI_STATUSES_IGNORE);
            must(count != 1 || done != 0 || places[0] == 0);
        }
    } else if (rank <= 2) {
        give(rank, 0, work);
    }
}

static void wait_some(void) {
    int values[2] = {0}, places[2], count = 0;
    MPI_Request requests[2];
    if (rank == 0) {
        for (int i = 0; i < 2; ++i) {
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, work, WORLD, &requests[i]);
        }
        for (int done = 0; done < 2; done += count) {
            MPI_Waitsome(2, requests, &count, places, MPI_STATUSES_IGNORE);
            must(done + count == 2);
        }
    } else if (rank <= 2) {
        give(rank, 0, work);
    }
}

static void one_test(void) {
    int value = -1, flag = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, work, WORLD, &request);
        MPI_Barrier(WORLD);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        must(flag && value == 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        if (rank == 1) {
            give(rank, 0, work);
        }
        MPI_Barrier(WORLD);
    }
}

/* ---- buffers ---- */

static void head_to_head(void) {
    int value = rank, other = -1;
    if (rank < 2) {
        if (right) {
            MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, work, &other, 1, MPI_INT, 1 - rank, work, WORLD,
                         MPI_STATUS_IGNORE);
        } else {
            MPI_Send(&value, 1, MPI_INT, 1 - rank, work, WORLD);
            MPI_Recv(&other, 1, MPI_INT, 1 - rank, work, WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* Only if short messages are buffered does rank 0's come first at rank 2, and only if long ones are not do
 * both wait then. */
static void short_ones(void) {
    static int given[1000], got[1000];
    MPI_Status status;
    int first = 0;
    if (rank == 0) {
        give(0, 1, work);
        give(0, 2, work);
        first = get(2, control, &status);
    } else if (rank == 1) {
        give(1, 2, work);
        get(0, work, &status);
    } else {
        first = get(MPI_ANY_SOURCE, work, &status);
        get(MPI_ANY_SOURCE, work, &status);
        give(first, 0, control);
    }
    if (rank == 1) {
        return;
    }
    if (right || first != 0) {
        MPI_Sendrecv(given, 1000, MPI_INT, 2 - rank, result, got, 1000, MPI_INT, 2 - rank, result, WORLD,
                     &status);
    } else {
        MPI_Send(given, 1000, MPI_INT, 2 - rank, result, WORLD);
        MPI_Recv(got, 1000, MPI_INT, 2 - rank, result, WORLD, &status);
    }
}

/* Only if rank 0's first message is buffered does its second one leave. */
static void by_way_of_buffers(void) {
    MPI_Status status;
    if (rank == 0) {
        give(0, 1, work);
        give(0, 2, work);
    } else if (rank == 1) {
        if (right) {
            get(0, work, &status);
        }
        get(2, control, &status);
        if (!right) {
            get(0, work, &status);
        }
        give(1, 2, work);
    } else {
        get(MPI_ANY_SOURCE, work, &status);
        give(2, 1, control);
        get(MPI_ANY_SOURCE, work, &status);
    }
}

/* ---- masters and workers ---- */

/* The master counts answers: if one worker answers twice, another is forgotten. */
static void forgotten_answer(void) {
    MPI_Status status;
    if (rank == 0) {
        int heard[8] = {0};
        for (int i = 1; i < size; ++i) {
            get(MPI_ANY_SOURCE, result, &status);
            heard[status.MPI_SOURCE] = 1;
        }
        for (int i = 1; i < size; ++i) {
            must(heard[i]);
        }
        get(MPI_ANY_SOURCE, result, &status);
    } else {
        give(rank, 0, result);
        if (rank == size - 1) {
            give(rank, 0, result);
        }
    }
}

/* Two tasks more than workers; an answer brings the next one. A worker without work is stopped by its own
 * number. */
static void tasks(void) {
    const int count = size + 1;
    MPI_Status status;
    if (rank == 0) {
        int next = 0, given[8] = {0};
        for (int i = 1; i < size; ++i) {
            give(next++, i, work);
        }
        for (int done = 0; done < count; ++done) {
            get(MPI_ANY_SOURCE, result, &status);
            ++given[status.MPI_SOURCE];
            give(next < count ? next : -1, status.MPI_SOURCE, work);
            ++next;
        }
        for (int i = 1; i < size; ++i) {
            must(given[i] < 3);
        }
    } else {
        for (int task = get(0, work, &status); task >= 0; task = get(0, work, &status)) {
            give(task, 0, result);
        }
    }
}

/* Sums of floating-point numbers are as good in each order, but not the same. */
static void sums(void) {
    float sum = 0;
    if (rank == 0) {
        for (int i = 1; i < size; ++i) {
            float part = 0;
            MPI_Recv(&part, 1, MPI_FLOAT, MPI_ANY_SOURCE, work, WORLD, MPI_STATUS_IGNORE);
            sum += part;
        }
        printf("sum %.9g\n", (double)sum);
    } else {
        const float part = rank == 1 ? 1e8F : rank == 2 ? -1e8F : 1.0F;
        MPI_Send(&part, 1, MPI_FLOAT, 0, work, WORLD);
    }
}

/* Only one order of three leads to memory that is not there. */
static void crash(void) {
    MPI_Status status;
    if (rank == 0) {
        int order = 0;
        for (int i = 1; i < size; ++i) {
            get(MPI_ANY_SOURCE, work, &status);
            order = 10 * order + status.MPI_SOURCE;
        }
        if (order == 321 && !right) {
            *(volatile int *)8 = order;
        }
    } else {
        give(rank, 0, work);
    }
}

/* The request of one order is never freed. */
static void leak(void) {
    MPI_Status status;
    if (rank == 0) {
        MPI_Comm copy = MPI_COMM_NULL;
        get(MPI_ANY_SOURCE, work, &status);
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        if (right || status.MPI_SOURCE == 1) {
            MPI_Comm_free(&copy);
        }
        get(MPI_ANY_SOURCE, work, &status);
    } else if (rank <= 2) {
        give(rank, 0, work);
    }
}

/* ---- windows ---- */

/* Each rank but the first draws a number. */
static void tickets(void) {
    int *memory, drawn = -1;
    const int one = 1;
    MPI_Win window;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Barrier(WORLD);
    if (rank != 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Fetch_and_op(&one, &drawn, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_unlock(0, window);
        must(drawn == rank - 1);
    }
    MPI_Win_free(&window);
}

/* Each rank but the first writes its number; the last one is not always the last. */
static void last_writer(void) {
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Barrier(WORLD);
    if (rank != 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        must(*memory == size - 1);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
}

/* Who finds the memory free takes it, draws a number, and gives it back. */
static void spin(void) {
    int *memory;
    const int none = 0, own = rank, one = 1;
    MPI_Win window;
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    if (rank != 0) {
        int found = -1;
        do {
            MPI_Compare_and_swap(&own, &none, &found, MPI_INT, 0, 0, window);
            MPI_Win_flush(0, window);
        } while (found != 0);
        MPI_Fetch_and_op(&one, &found, MPI_INT, 0, 1, MPI_SUM, window);
        MPI_Win_flush(0, window);
        must(found == rank - 1);
        MPI_Fetch_and_op(&none, &found, MPI_INT, 0, 0, MPI_REPLACE, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* ---- counting ---- */

/* Each worker sends two messages: (2 (n - 1))! / 2^(n - 1) orders. */
static void two_each(void) {
    if (rank == 0) {
        for (int i = 0; i < 2 * (size - 1); ++i) {
            get(MPI_ANY_SOURCE, work, MPI_STATUS_IGNORE);
        }
    } else {
        give(1, 0, work);
        give(2, 0, work);
    }
}

/* Two masters, each with two workers: 2 x 2 orders. */
static void two_masters(void) {
    if (rank < 2) {
        for (int i = 0; i < 2; ++i) {
            get(MPI_ANY_SOURCE, work, MPI_STATUS_IGNORE);
        }
    } else {
        give(rank, rank % 2, work);
    }
}

/* Nothing is open. */
static void ring(void) {
    int value = rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, work, (rank + size - 1) % size, work, WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, WORLD);
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {{"first_two", first_two},
                {"named_second", named_second},
                {"crooked_barrier", crooked_barrier},
                {"relay", relay},
                {"late_message", late_message},
                {"late_named", late_named},
                {"any_tag", any_tag},
                {"late_probe", late_probe},
                {"matched_probe", matched_probe},
                {"one_look", one_look},
                {"wait_any", wait_any},
                {"test_some", test_some},
                {"wait_some", wait_some},
                {"one_test", one_test},
                {"head_to_head", head_to_head},
                {"short_ones", short_ones},
                {"by_way_of_buffers", by_way_of_buffers},
                {"forgotten_answer", forgotten_answer},
                {"tasks", tasks},
                {"sums", sums},
                {"crash", crash},
                {"leak", leak},
                {"two_each", two_each},
                {"two_masters", two_masters},
                {"tickets", tickets},
                {"last_writer", last_writer},
                {"spin", spin},
                {"ring", ring}};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    right = argc > 2 && strcmp(argv[2], "right") == 0;
    for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; ++i) {
        if (strcmp(argv[1], programs[i].name) == 0) {
            programs[i].run();
        }
    }
    MPI_Finalize();
    return 0;
}
