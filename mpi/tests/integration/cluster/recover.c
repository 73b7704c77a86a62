/* SPDX-License-Identifier: Apache-2.0
 * What survivors do when others are killed. The argument names the scenario; each survivor prints `recovered`
 * in the end, and says what is wrong otherwise. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void check(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        fflush(NULL);
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
}

static int class_of(int code) {
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static void die(void) {
    kill(getpid(), SIGKILL);
}

/* All survivors have the same communicator, and it works. */
static void check_survivors(MPI_Comm comm, int expected) {
    int members, self, sum = 0;
    MPI_Comm_size(comm, &members);
    MPI_Comm_rank(comm, &self);
    check(members == expected, "the shrunk communicator has another size");
    check(MPI_Allreduce(&self, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS,
          "allreduce of survivors failed");
    check(sum == members * (members - 1) / 2, "allreduce of survivors is wrong");
}

static void shrink_and_check(int expected) {
    MPI_Comm survivors;
    check(MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors) == MPI_SUCCESS, "shrink failed");
    check_survivors(survivors, expected);
    MPI_Comm_free(&survivors);
}

/* Receives and sends that need the failed rank. */
static void messages(void) {
    int value = 0;
    if (rank == size - 1) {
        die();
    }
    check(class_of(MPI_Recv(&value, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) ==
              MPIX_ERR_PROC_FAILED,
          "a receive from the dead succeeds");
    check(class_of(MPI_Send(&value, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD)) == MPIX_ERR_PROC_FAILED,
          "a send to the dead succeeds");
    MPI_Group failed, world, expected;
    int relation, last = size - 1;
    MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &last, &expected);
    MPI_Group_compare(failed, expected, &relation);
    check(relation == MPI_IDENT, "get_failed gives another group");
    MPI_Group_free(&failed);
    MPI_Group_free(&expected);
    MPI_Group_free(&world);
    /* Others are as reachable as before. */
    const int to = (rank + 1) % last, from = (rank + last - 1) % last;
    check(MPI_Sendrecv(&rank, 1, MPI_INT, to, 2, &value, 1, MPI_INT, from, 2, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE) == MPI_SUCCESS &&
              value == from,
          "survivors cannot exchange messages");
    shrink_and_check(size - 1);
}

/* Receives from any source: an error until the failure is acknowledged. */
static void any_source(void) {
    int value = 0, acknowledged = 0;
    MPI_Status status;
    if (rank == size - 1) {
        die();
    }
    if (rank == 0) {
        check(class_of(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status)) ==
                  MPIX_ERR_PROC_FAILED,
              "a receive from any source hides a failure");
        check(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 1, &acknowledged) == MPI_SUCCESS && acknowledged == 1,
              "the failure cannot be acknowledged");
        for (int other = 1; other < size - 1; ++other) {
            MPI_Send(&rank, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
        }
        for (int other = 1; other < size - 1; ++other) {
            check(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status) == MPI_SUCCESS &&
                      value == status.MPI_SOURCE,
                  "an acknowledged failure is an error again");
        }
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &status);
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    shrink_and_check(size - 1);
}

/* A rank dies in a row of collectives; the one that notices it first revokes. */
static void collectives(void) {
    double mine[1000], sum[1000];
    int code = MPI_SUCCESS;
    for (int i = 0; i < 1000; ++i) {
        mine[i] = rank;
    }
    for (int round = 0; round < 100000 && code == MPI_SUCCESS; ++round) {
        if (round == 20 && rank == size / 2) {
            die();
        }
        code = round % 3 == 0   ? MPI_Barrier(MPI_COMM_WORLD)
               : round % 3 == 1 ? MPI_Allreduce(mine, sum, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)
                                : MPI_Bcast(mine, 1000, MPI_DOUBLE, round % size, MPI_COMM_WORLD);
    }
    if (class_of(code) != MPIX_ERR_PROC_FAILED && class_of(code) != MPIX_ERR_REVOKED) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, text, &length);
        check(0, text);
    }
    MPIX_Comm_revoke(MPI_COMM_WORLD);
    int revoked = 0;
    MPIX_Comm_is_revoked(MPI_COMM_WORLD, &revoked);
    check(revoked, "not revoked");
    check(class_of(MPI_Barrier(MPI_COMM_WORLD)) == MPIX_ERR_REVOKED, "a barrier on a revoked communicator");
    shrink_and_check(size - 1);
}

/* Nobody dies: one rank revokes what the others wait for. */
static void revocation(void) {
    MPI_Comm comm;
    int value = 0;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0) {
        usleep(50000);
        MPIX_Comm_revoke(comm);
    } else if (rank % 2 == 0) {
        check(class_of(MPI_Recv(&value, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED,
              "a receive on a revoked communicator");
    } else {
        check(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request) == MPI_SUCCESS, "irecv");
        check(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED, "a revoked irecv");
    }
    check(class_of(MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 1, comm)) == MPIX_ERR_REVOKED || size == 1,
          "a send on a revoked communicator");
    int flag = rank == 1 ? 6 : 3;
    check(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == 2, "agreement on a revoked communicator");
    MPI_Comm again;
    MPI_Request shrinking;
    check(MPIX_Comm_ishrink(comm, &again, &shrinking) == MPI_SUCCESS, "ishrink");
    MPI_Wait(&shrinking, MPI_STATUS_IGNORE);
    check_survivors(again, size);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
    check(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "the world is not concerned");
}

/* Revocations while long messages are on their way: these end, and nobody counts as failed for it. */
static void long_messages(void) {
    enum { bytes = 4 << 20, repetitions = 20 };
    MPI_Comm comm, next;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < repetitions; ++i) {
        const int to = (rank + 1) % size, from = (rank + size - 1) % size;
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        char *const out = calloc(bytes, 1), *const in =
                                                malloc(bytes); /* given back to the system by free() */
        if (rank == i % size) {
            usleep((unsigned)i * 200);
            MPIX_Comm_revoke(comm);
        } else {
            MPI_Irecv(in, bytes, MPI_BYTE, from, 1, comm, &requests[0]);
            MPI_Isend(out, bytes, MPI_BYTE, to, 1, comm, &requests[1]);
        }
        for (int each = 0; each < 2; ++each) {
            const int class = class_of(MPI_Wait(&requests[each], MPI_STATUS_IGNORE));
            check(class == MPI_SUCCESS || class == MPIX_ERR_REVOKED, "a revoked message ends otherwise");
        }
        free(out);
        free(in);
        check(MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS, "shrink failed");
        MPI_Comm_free(&comm);
        comm = next;
        check_survivors(comm, size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&comm);
}

/* Leaders die in the middle of agreements: all survivors have to hear the same, call by call. */
static void agreements(void) {
    enum { calls = 60 };
    int said[calls][2];
    memset(said, 0, sizeof said);
    for (int call = 0; call < calls; ++call) {
        /* All others have left the agreement before, which would fail for them. */
        if (call == 20 && rank == 0) {
            for (int other = 1; other < size; ++other) {
                MPI_Recv(NULL, 0, MPI_BYTE, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        } else if (call == 20) {
            MPI_Send(NULL, 0, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
        }
        if ((rank == 0 && call == 20) || (rank == 1 && call == 40)) {
            die(); /* the others are in the agreement already, or soon will be */
        }
        int flag = ~(1 << (rank + call) % 20);
        if (call % 2 == 0) {
            said[call][1] = class_of(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
        } else {
            MPI_Request request;
            MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &request);
            said[call][1] = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        said[call][0] = flag;
        if (call == 30) {
            MPIX_Comm_failure_ack(MPI_COMM_WORLD);
        }
    }
    check(said[19][1] == MPI_SUCCESS && said[21][1] == MPIX_ERR_PROC_FAILED && said[32][1] == MPI_SUCCESS &&
              said[41][1] == MPIX_ERR_PROC_FAILED,
          "agreements report failures wrongly");
    MPI_Comm survivors;
    check(MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors) == MPI_SUCCESS, "shrink failed");
    check_survivors(survivors, size - 2);
    int first[calls][2];
    memcpy(first, said, sizeof said);
    MPI_Bcast(first, 2 * calls, MPI_INT, 0, survivors);
    check(memcmp(first, said, sizeof said) == 0, "survivors have heard different things");
    MPI_Comm_free(&survivors);
}

/* All but one die, one after the other. */
static void last_one(void) {
    MPI_Comm comm, next;
    int members, self;
    /* Not MPI_Comm_dup, which fails where the first has died before all have done their part. */
    check(MPIX_Comm_shrink(MPI_COMM_WORLD, &comm) == MPI_SUCCESS, "shrink failed");
    MPI_Comm_size(comm, &members);
    while (members > 1) {
        MPI_Comm_rank(comm, &self);
        /* Not while others are still in the call before, which would fail for them. */
        if (self == 0) {
            for (int other = 1; other < members; ++other) {
                MPI_Recv(NULL, 0, MPI_BYTE, other, 9, comm, MPI_STATUS_IGNORE);
            }
            die();
        }
        MPI_Send(NULL, 0, MPI_BYTE, 0, 9, comm);
        MPI_Barrier(comm);
        check(MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS, "shrink failed");
        check_survivors(next, --members);
        MPI_Comm_free(&comm);
        comm = next;
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    static const struct {
        const char *name;
        void (*run)(void);
    } scenarios[] = {{"messages", messages},          {"any_source", any_source},
                     {"collectives", collectives},    {"revocation", revocation},
                     {"agreements", agreements},      {"last_one", last_one},
                     {"long_messages", long_messages}};
    int found = 0;
    for (size_t each = 0; each < sizeof scenarios / sizeof *scenarios; ++each) {
        if (argc > 1 && strcmp(argv[1], scenarios[each].name) == 0) {
            scenarios[each].run();
            found = 1;
        }
    }
    check(found, "which scenario?");
    MPI_Finalize();
    printf("recovered\n");
    return 0;
}
