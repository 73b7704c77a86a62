// SPDX-License-Identifier: Apache-2.0
// A program to be recorded and replayed: all kinds of calls, in parts that can be asked for. Ranks compute
// for unlike times, so that no two messages from which a receive may choose come at the same time.
//
// Usage: replayed [PART]...
// Without parts all of them but the last two.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 4096 };
static int rank, size;
static double sent[most], received[most];

static void compute(int times) {
    MPIX_Tile_compute(1000 * times + 137 * rank);
}
static int right(void) {
    return (rank + 1) % size;
}
static int left(void) {
    return (rank + size - 1) % size;
}

static void ring(void) {
    for (int round = 0; round < 3; ++round) {
        compute(round);
        if (rank == 0) {
            MPI_Send(sent, 100, MPI_DOUBLE, right(), round, MPI_COMM_WORLD);
            MPI_Recv(received, 100, MPI_DOUBLE, left(), round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(received, most, MPI_DOUBLE, left(), MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(received, 100, MPI_DOUBLE, right(), round, MPI_COMM_WORLD);
        }
        MPI_Sendrecv(sent, 10 + rank, MPI_DOUBLE, right(), 7, received, most, MPI_DOUBLE, left(), 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(received, 20, MPI_INT, left(), 8, right(), 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// Rows as they are, columns by a type.
static void halo(void) {
    enum { side = 24 };
    static double grid[side][side];
    int sides[2] = {0, 0}, periods[2] = {1, 1}, up, down, west, east;
    MPI_Comm plane, row;
    MPI_Datatype column;
    MPI_Dims_create(size, 2, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 0, &plane);
    MPI_Cart_shift(plane, 0, 1, &up, &down);
    MPI_Cart_shift(plane, 1, 1, &west, &east);
    MPI_Cart_sub(plane, (int[]){0, 1}, &row);
    MPI_Type_vector(side - 2, 1, side, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int step = 0; step < 3; ++step) {
        MPI_Request all[8];
        MPI_Irecv(&grid[0][1], side - 2, MPI_DOUBLE, up, 0, plane, &all[0]);
        MPI_Irecv(&grid[side - 1][1], side - 2, MPI_DOUBLE, down, 1, plane, &all[1]);
        MPI_Irecv(&grid[1][0], 1, column, west, 2, plane, &all[2]);
        MPI_Irecv(&grid[1][side - 1], 1, column, east, 3, plane, &all[3]);
        MPI_Isend(&grid[side - 2][1], side - 2, MPI_DOUBLE, down, 0, plane, &all[4]);
        MPI_Isend(&grid[1][1], side - 2, MPI_DOUBLE, up, 1, plane, &all[5]);
        MPI_Isend(&grid[1][side - 2], 1, column, east, 2, plane, &all[6]);
        MPI_Isend(&grid[1][1], 1, column, west, 3, plane, &all[7]);
        compute(2);
        MPIX_Tile_access(grid, sizeof grid, step % 3 == 0);
        if (step % 2 == 0) {
            MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
        } else {
            for (int done = 0; !done;) {
                MPI_Testall(8, all, &done, MPI_STATUSES_IGNORE);
                if (!done) {
                    MPIX_Tile_compute(50); // work that does not need the borders
                }
            }
        }
        double own = grid[1][1], worst;
        MPI_Allreduce(&own, &worst, 1, MPI_DOUBLE, MPI_MAX, row);
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&row);
    MPI_Comm_free(&plane);
}

static void keep_second(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)in, (void)inout, (void)count, (void)type;
}

static void collectives(void) {
    int counts[64], places[64], bytes[64];
    MPI_Datatype types[64];
    for (int peer = 0; peer < size; ++peer) {
        counts[peer] = 3 + peer % 3;
        places[peer] = 8 * peer;
        bytes[peer] = 64 * peer;
        types[peer] = MPI_DOUBLE;
    }
    const int root = size - 1;
    MPI_Op op;
    MPI_Op_create(keep_second, 0, &op);
    compute(1);
    MPI_Bcast(sent, 500, MPI_DOUBLE, root, MPI_COMM_WORLD);
    MPI_Reduce(sent, rank == root ? received : NULL, 40, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    MPI_Reduce(sent, received, 9, MPI_DOUBLE, op, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, received, 700, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    compute(2);
    MPI_Gather(sent, 5, MPI_DOUBLE, received, 5, MPI_DOUBLE, root, MPI_COMM_WORLD);
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : sent, 5, MPI_DOUBLE, received, 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gatherv(sent, counts[rank], MPI_DOUBLE, received, rank == 0 ? counts : NULL,
                rank == 0 ? places : NULL, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scatter(sent, 6, MPI_DOUBLE, received, 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scatterv(rank == 0 ? sent : NULL, rank == 0 ? counts : NULL, rank == 0 ? places : NULL, MPI_DOUBLE,
                 received, counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allgather(sent, 30, MPI_DOUBLE, received, 30, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgatherv(sent, counts[rank], MPI_DOUBLE, received, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    compute(1);
    MPI_Alltoall(sent, 12, MPI_DOUBLE, received, 12, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int peer = 0; peer < size; ++peer) {
        counts[peer] = 1 + (rank + peer) % 5;
    }
    MPI_Alltoallv(sent, counts, places, MPI_DOUBLE, received, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, received, counts, places, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    MPI_Alltoallw(sent, counts, bytes, types, received, counts, bytes, types, MPI_COMM_WORLD);
    MPI_Scan(sent, received, 15, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(sent, received, 15, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    for (int peer = 0; peer < size; ++peer) {
        counts[peer] = 10 * (peer + 1);
    }
    MPI_Reduce_scatter(sent, received, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(sent, received, 25, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request several[3], again;
    MPI_Ibcast(received, 200, MPI_DOUBLE, 0, MPI_COMM_WORLD, &several[0]);
    MPI_Iallreduce(sent, received + 300, 50, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &several[1]);
    MPI_Ibarrier(MPI_COMM_WORLD, &several[2]);
    compute(3);
    MPI_Waitall(3, several, MPI_STATUSES_IGNORE);
    MPI_Allreduce_init(sent, received, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &again);
    for (int round = 0; round < 2; ++round) {
        MPI_Start(&again);
        compute(1);
        MPI_Wait(&again, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&again);
    MPI_Op_free(&op);
}

static void communicators(void) {
    MPI_Comm half, copy, few = MPI_COMM_NULL, between, all, later;
    MPI_Group world, odd;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    compute(1);
    MPI_Bcast(sent, 100, MPI_DOUBLE, 0, half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_idup(copy, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(sent, received, 10, MPI_DOUBLE, MPI_SUM, later);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? (size - 1) | 1 : (size - 1) & ~1, 5,
                         &between);
    const int root = rank % 2 == 1 ? 0 : rank == ((size - 1) & ~1) ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(sent, 64, MPI_DOUBLE, root, between);
    MPI_Allreduce(sent, received, 16, MPI_DOUBLE, MPI_SUM, between);
    MPI_Intercomm_merge(between, rank % 2, &all);
    MPI_Barrier(all);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, (int[1][3]){{1, size - 1, 2}}, &odd);
    if (rank % 2 == 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, odd, 3, &few);
        MPI_Barrier(few);
        MPI_Comm_free(&few);
    }
    MPI_Comm none;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &none);
    if (none != MPI_COMM_NULL) {
        MPI_Barrier(none);
        MPI_Comm_free(&none);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&odd);
    MPI_Comm_free(&all);
    MPI_Comm_free(&between);
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

static void types(void) {
    MPI_Datatype pieces, square, both, spread, record, copy;
    MPI_Type_indexed(3, (int[]){2, 1, 4}, (int[]){0, 5, 9}, MPI_INT, &pieces);
    MPI_Type_create_subarray(2, (int[]){12, 12}, (int[]){4, 6}, (int[]){3, 2}, MPI_ORDER_C, MPI_DOUBLE,
                             &square);
    MPI_Type_create_resized(pieces, 0, 80, &spread);
    MPI_Aint places[2];
    MPI_Get_address(sent, &places[0]);
    MPI_Get_address(received, &places[1]);
    MPI_Type_create_struct(2, (int[]){3, 5}, places, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &both);
    MPI_Type_create_hvector(3, 2, 40, MPI_SHORT, &record);
    MPI_Type_dup(record, &copy);
    MPI_Datatype all[] = {square, both, spread, copy};
    for (int at = 0; at < 4; ++at) {
        MPI_Type_commit(&all[at]);
        compute(1);
        void *from = at == 1 ? MPI_BOTTOM : sent, *to = at == 1 ? MPI_BOTTOM : received;
        MPI_Request request;
        MPI_Isend(from, at == 2 ? 20 : 1, all[at], right(), at, MPI_COMM_WORLD, &request);
        MPI_Recv(to, at == 2 ? 20 : 1, all[at], left(), at, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Type_free(&all[at]);
    }
    MPI_Type_free(&pieces);
    MPI_Type_free(&record);
}

// Each rank sends a good while after the one before it.
static void wildcards(void) {
    if (rank != 0) {
        MPIX_Tile_compute(40000 * rank);
        for (int at = 0; at < 5; ++at) {
            MPI_Send(sent, 10 * rank, MPI_DOUBLE, 0, at, MPI_COMM_WORLD);
        }
        return;
    }
    MPI_Request first;
    MPI_Status status;
    for (int peer = 1; peer < size; ++peer) {
        MPI_Irecv(received, most, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &first);
        compute(1);
        MPI_Wait(&first, &status);
        MPI_Recv(received, most, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        MPI_Recv(received, most, MPI_DOUBLE, status.MPI_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Message found;
        for (int flag = 0; !flag;) {
            MPI_Improbe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, &found, MPI_STATUS_IGNORE);
        }
        MPI_Mrecv(received, most, MPI_DOUBLE, &found, MPI_STATUS_IGNORE);
        for (int flag = 0; !flag;) {
            MPI_Iprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &flag, &status);
            MPIX_Tile_compute(30);
        }
        MPI_Mprobe(status.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Imrecv(received, most, MPI_DOUBLE, &found, &first);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
    }
}

static void completions(void) {
    MPI_Request all[64], send, lost;
    int index, flag, count, indices[64];
    if (rank == 0) {
        for (int round = 0; round < 4; ++round) {
            for (int peer = 1; peer < size; ++peer) {
                MPI_Irecv(received + 32 * peer, 32, MPI_DOUBLE, peer, round, MPI_COMM_WORLD, &all[peer - 1]);
            }
            for (int left = size - 1; left > 0;) {
                switch (round) {
                case 0:
                    MPI_Waitany(size - 1, all, &index, MPI_STATUS_IGNORE);
                    --left;
                    break;
                case 1:
                    MPI_Waitsome(size - 1, all, &count, indices, MPI_STATUSES_IGNORE);
                    left -= count;
                    break;
                case 2:
                    MPI_Testany(size - 1, all, &index, &flag, MPI_STATUS_IGNORE);
                    left -= flag;
                    MPIX_Tile_compute(100);
                    break;
                default:
                    MPI_Testsome(size - 1, all, &count, indices, MPI_STATUSES_IGNORE);
                    left -= count;
                }
            }
            compute(1);
        }
    } else {
        for (int round = 0; round < 4; ++round) {
            MPIX_Tile_compute(30000 * rank);
            MPI_Isend(sent, 32, MPI_DOUBLE, 0, round, MPI_COMM_WORLD, &send);
            for (flag = 0; !flag;) {
                MPI_Test(&send, &flag, MPI_STATUS_IGNORE);
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send_init(sent, 50, MPI_DOUBLE, right(), 1, MPI_COMM_WORLD, &all[0]);
    MPI_Recv_init(received, 50, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD, &all[1]);
    for (int round = 0; round < 3; ++round) {
        MPI_Startall(2, all);
        compute(1);
        MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&all[0]);
    MPI_Request_free(&all[1]);
    MPI_Irecv(received, 1, MPI_INT, left(), 99, MPI_COMM_WORLD, &lost);
    MPI_Cancel(&lost);
    MPI_Wait(&lost, MPI_STATUS_IGNORE);
    // A good part of the record has many sends under way that have one handle.
    for (int at = 0; at < 6; ++at) {
        MPI_Isend(sent, 1 + at, MPI_INT, right(), at, MPI_COMM_WORLD, &all[at]);
    }
    for (int at = 0; at < 6; ++at) {
        MPI_Recv(received, 6, MPI_INT, left(), at, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Waitany(6, all, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
}

static void modes(void) {
    static char attached[20000];
    void *detached;
    int bytes;
    MPI_Request request;
    MPI_Buffer_attach(attached, sizeof attached);
    MPI_Bsend(sent, 200, MPI_DOUBLE, right(), 0, MPI_COMM_WORLD);
    compute(1);
    MPI_Recv(received, 200, MPI_DOUBLE, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &bytes);
    MPI_Irecv(received, 200, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD, &request);
    MPI_Ssend(sent, 200, MPI_DOUBLE, right(), 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Issend(sent, 3, MPI_DOUBLE, right(), 2, MPI_COMM_WORLD, &request);
    MPI_Recv_c(received, 200, MPI_DOUBLE, left(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast_c(sent, 77, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void neighbours(void) {
    MPI_Comm graph;
    const int next[2] = {right(), left()};
    const int counts[2] = {2, 5}, places[2] = {0, 16};
    MPI_Request request;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, next, (int[]){1, 2}, 2, next, (int[]){2, 1},
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(sent, 11, MPI_DOUBLE, received, 11, MPI_DOUBLE, graph);
    compute(1);
    MPI_Neighbor_alltoallv(sent, counts, places, MPI_DOUBLE, received, (int[]){5, 5}, places, MPI_DOUBLE,
                           graph);
    MPI_Ineighbor_alltoall(sent, 4, MPI_DOUBLE, received, 4, MPI_DOUBLE, graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&graph);
}

static void windows(void) {
    MPI_Win window, own;
    double *memory;
    long one = 1, before;
    MPI_Win_allocate(1024, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put(sent, 20, MPI_DOUBLE, right(), 10, 20, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    MPI_Win_create(received, sizeof received, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own);
    MPI_Win_fence(0, own);
    MPI_Get(sent, 30, MPI_DOUBLE, left(), 0, 30, MPI_DOUBLE, own);
    MPI_Accumulate(sent + 100, 8, MPI_DOUBLE, right(), 512, 8, MPI_DOUBLE, MPI_SUM, own);
    MPI_Win_fence(0, own);
    MPI_Win_free(&own);
    MPI_Win_free(&window);
}

static void partitions(void) {
    MPI_Request out, in;
    MPI_Psend_init(sent, 4, 25, MPI_DOUBLE, right(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &out);
    MPI_Precv_init(received, 2, 50, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &in);
    MPI_Start(&in);
    MPI_Start(&out);
    for (int part = 0; part < 4; ++part) {
        compute(1);
        MPI_Pready(part, out);
    }
    for (int flag = 0; !flag;) {
        MPI_Parrived(in, 1, &flag);
    }
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    MPI_Wait(&in, MPI_STATUS_IGNORE);
    MPI_Request_free(&out);
    MPI_Request_free(&in);
}

static void clocks(void) {
    const double begin = MPI_Wtime();
    compute(1);
    usleep(20 + (unsigned)rank);
    (void)begin;
    MPI_Barrier(MPI_COMM_WORLD);
}

// Computing that is not declared.
static void busy(void) {
    volatile double sum = 0;
    for (int at = 1; at < 1000000; ++at) {
        sum = sum + 1.0 / at;
    }
}

// It cannot be replayed: a dynamic window's targets are addresses of the program's.
static void unfit(void) {
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {{"ring", ring},
             {"halo", halo},
             {"collectives", collectives},
             {"communicators", communicators},
             {"types", types},
             {"wildcards", wildcards},
             {"completions", completions},
             {"modes", modes},
             {"neighbours", neighbours},
             {"windows", windows},
             {"partitions", partitions},
             {"clocks", clocks},
             {"busy", busy},
             {"unfit", unfit}};

enum { part_count = sizeof parts / sizeof parts[0], usual_parts = part_count - 2 };

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int part = 0; part < part_count; ++part) {
        int wanted = count == 1 && part < usual_parts;
        for (int at = 1; at < count; ++at) {
            wanted = wanted || strcmp(words[at], parts[part].name) == 0;
        }
        if (wanted) {
            parts[part].run();
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
