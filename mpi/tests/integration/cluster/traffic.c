/* SPDX-License-Identifier: Apache-2.0
 * Messages of many sizes between all pairs of ranks, each checked to the last byte, some of them synchronous,
 * some of them received by wildcards; a collective after each round. traffic ROUNDS [LONGEST] With the
 * environment's TRAFFIC_GO each rank that is in the middle of its rounds writes a file TRAFFIC_GO.RANK, so
 * that a test knows when to disturb. With TRAFFIC_SURVIVE errors are returned: survivors shrink, and finish
 * their rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { sizes = 6, most_ranks = 64 };
static int rank, size, survives;
static MPI_Comm comm;

static unsigned char byte_of(int source, int round, size_t at) {
    return (unsigned char)(source * 31 + round * 7 + (int)(at % 251));
}

static void check(const unsigned char *data, size_t bytes, int source, int round) {
    for (size_t at = 0; at < bytes; ++at) {
        if (data[at] != byte_of(source, round, at)) {
            fprintf(stderr, "rank %d: byte %zu of %zu from %d in round %d is wrong\n", rank, at, bytes,
                    source, round);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
}

static int exchange(int round, size_t bytes, unsigned char *out, unsigned char *in) {
    MPI_Request requests[2 * most_ranks];
    for (size_t at = 0; at < bytes; ++at) {
        out[at] = byte_of(rank, round, at);
    }
    int error = MPI_SUCCESS, started = 0;
    for (int peer = 0; peer < size && error == MPI_SUCCESS; ++peer) {
        error = MPI_Irecv(in + (size_t)peer * bytes, (int)bytes, MPI_BYTE, peer, round, comm,
                          &requests[started++]);
    }
    for (int peer = 0; peer < size && error == MPI_SUCCESS; ++peer) {
        error = (round + peer) % 3 == 0
                    ? MPI_Issend(out, (int)bytes, MPI_BYTE, peer, round, comm, &requests[started++])
                    : MPI_Isend(out, (int)bytes, MPI_BYTE, peer, round, comm, &requests[started++]);
    }
    if (error != MPI_SUCCESS) {
        --started;
    }
    const int waited = MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    error = error != MPI_SUCCESS ? error : waited;
    if (error != MPI_SUCCESS) {
        return error;
    }
    for (int peer = 0; peer < size; ++peer) {
        check(in + (size_t)peer * bytes, bytes, peer, round);
    }
    long sum = 0, own = rank;
    error = MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, comm);
    if (error == MPI_SUCCESS && sum != (long)size * (size - 1) / 2) {
        fprintf(stderr, "rank %d: the sum of the ranks is %ld\n", rank, sum);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    return error;
}

static void say_go(void) {
    const char *const prefix = getenv("TRAFFIC_GO");
    if (prefix != NULL) {
        char name[400];
        snprintf(name, sizeof name, "%s.%d", prefix, rank);
        fclose(fopen(name, "w"));
    }
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    const size_t longest = argc > 2 ? (size_t)atol(argv[2]) : (size_t)1 << 20;
    const size_t lengths[sizes] = {0, 8, 1000, 65536, 65537, longest};
    survives = getenv("TRAFFIC_SURVIVE") != NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (survives) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int at_first = size;
    unsigned char *const out = malloc(longest), *const in = malloc(longest * (size_t)size);
    int shrunk = 0;
    for (int round = 0; round < rounds; ++round) {
        if (round == rounds / 4) {
            say_go();
        }
        const int error = exchange(round, lengths[round % sizes], out, in);
        if (error == MPI_SUCCESS) {
            continue;
        }
        int class = 0;
        MPI_Error_class(error, &class);
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPI_Error_string(error, text, &length);
        printf("rank %d: %s\n", rank,
               class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED ? "failure seen" : text);
        fflush(stdout);
        MPI_Comm smaller;
        MPIX_Comm_revoke(comm);
        MPIX_Comm_shrink(comm, &smaller);
        comm = smaller;
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        /* Survivors may have come to different rounds. */
        int latest = round;
        MPI_Allreduce(&round, &latest, 1, MPI_INT, MPI_MAX, comm);
        round = latest;
        shrunk = 1;
    }
    printf("finished %d of %d%s\n", size, at_first, shrunk ? " after a failure" : "");
    fflush(stdout);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
