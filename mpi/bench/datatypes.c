/* SPDX-License-Identifier: Apache-2.0
 * Derived datatypes: for each layout the time of MPI_Pack, of MPI_Unpack and of a message one way (ping-pong
 * with the type on both sides), and beside each its ratio to the same done by a hand-written loop (for
 * messages: a loop that packs, a contiguous message, a loop that unpacks), which takes turns with it. */
#include <stddef.h>

#include "bench.h"

enum { batches = 21, longest = 1 << 17 };

typedef struct {
    double mass;
    int kind;
    char tag[3];
    double place[3];
} particle;

/* A layout: its type, and loops that do the same. */
typedef struct {
    const char *name;
    MPI_Datatype type;
    int count, bytes;
    void (*gather)(char *to);
    void (*scatter)(const char *from);
} layout;

enum { rows = 1024, width = 128, edge = 66, pieces = 4096, particles = 2048 };

/* Volatile numbers, so that the loops are compiled for sizes that they learn at run time, as a program's are.
 */
static volatile int row_count = rows, row_width = width, edges = edge, piece_count = pieces,
                    particle_count = particles;

static double *matrix, *grid, *scattered;
static particle *cloud;
static int places[pieces], lengths[pieces], starts[pieces];

/* `blocks` blocks of `length` elements, `stride` elements apart. */
static inline void gather_blocks(double *restrict to, const double *restrict from, int blocks, int length,
                                 int stride) {
    for (int i = 0; i < blocks; ++i)
        for (int j = 0; j < length; ++j)
            to[i * length + j] = from[i * stride + j];
}
static inline void scatter_blocks(const double *restrict from, double *restrict to, int blocks, int length,
                                  int stride) {
    for (int i = 0; i < blocks; ++i)
        for (int j = 0; j < length; ++j)
            to[i * stride + j] = from[i * length + j];
}

static void gather_column(char *to) {
    gather_blocks((double *)to, matrix, row_count, 1, row_width);
}
static void scatter_column(const char *from) {
    scatter_blocks((const double *)from, matrix, row_count, 1, row_width);
}
static void gather_columns(char *to) {
    gather_blocks((double *)to, matrix, row_count, 4, row_width);
}
static void scatter_columns(const char *from) {
    scatter_blocks((const double *)from, matrix, row_count, 4, row_width);
}
static void gather_band(char *to) {
    gather_blocks((double *)to, matrix, row_count, 16, row_width);
}
static void scatter_band(const char *from) {
    scatter_blocks((const double *)from, matrix, row_count, 16, row_width);
}

/* Faces of the inner cube of a grid with one layer of halo: i is the slowest index. */
static inline double *at(int i, int j, int k) {
    return grid + ((i * (long)edges) + j) * edges + k;
}
static void gather_face_i(char *to) {
    const int inner = edges - 2;
    gather_blocks((double *)to, at(1, 1, 1), inner, inner, edges);
}
static void scatter_face_i(const char *from) {
    const int inner = edges - 2;
    scatter_blocks((const double *)from, at(1, 1, 1), inner, inner, edges);
}
static void gather_face_j(char *to) {
    const int inner = edges - 2;
    gather_blocks((double *)to, at(1, 1, 1), inner, inner, edges * edges);
}
static void scatter_face_j(const char *from) {
    const int inner = edges - 2;
    scatter_blocks((const double *)from, at(1, 1, 1), inner, inner, edges * edges);
}
static void gather_face_k(char *to) {
    const int inner = edges - 2;
    for (int i = 0; i < inner; ++i)
        gather_blocks((double *)to + i * inner, at(1 + i, 1, 1), inner, 1, edges);
}
static void scatter_face_k(const char *from) {
    const int inner = edges - 2;
    for (int i = 0; i < inner; ++i)
        scatter_blocks((const double *)from + i * inner, at(1 + i, 1, 1), inner, 1, edges);
}

static void gather_index(char *to) {
    double *restrict out = (double *)to;
    for (int i = 0, n = piece_count; i < n; ++i)
        out[i] = scattered[places[i]];
}
static void scatter_index(const char *from) {
    const double *restrict in = (const double *)from;
    for (int i = 0, n = piece_count; i < n; ++i)
        scattered[places[i]] = in[i];
}
static void gather_ragged(char *to) {
    double *restrict out = (double *)to;
    for (int i = 0, n = piece_count; i < n; ++i)
        for (int j = 0; j < lengths[i]; ++j)
            *out++ = scattered[starts[i] + j];
}
static void scatter_ragged(const char *from) {
    const double *restrict in = (const double *)from;
    for (int i = 0, n = piece_count; i < n; ++i)
        for (int j = 0; j < lengths[i]; ++j)
            scattered[starts[i] + j] = *in++;
}
static void gather_struct(char *to) {
    for (int i = 0, n = particle_count; i < n; ++i, to += 39) {
        memcpy(to, &cloud[i].mass, 8);
        memcpy(to + 8, &cloud[i].kind, 4);
        memcpy(to + 12, cloud[i].tag, 3);
        memcpy(to + 15, cloud[i].place, 24);
    }
}
static void scatter_struct(const char *from) {
    for (int i = 0, n = particle_count; i < n; ++i, from += 39) {
        memcpy(&cloud[i].mass, from, 8);
        memcpy(&cloud[i].kind, from + 8, 4);
        memcpy(cloud[i].tag, from + 12, 3);
        memcpy(cloud[i].place, from + 15, 24);
    }
}

static void *buffer_of(const layout *l) {
    return l->gather == gather_struct                                ? (void *)cloud
           : l->gather == gather_index || l->gather == gather_ragged ? (void *)scattered
           : l->gather == gather_face_i || l->gather == gather_face_j || l->gather == gather_face_k
               ? (void *)grid
               : (void *)matrix;
}

static MPI_Datatype vector_of(int length) {
    MPI_Datatype made;
    MPI_Type_vector(rows, length, width, MPI_DOUBLE, &made);
    return made;
}
static MPI_Datatype face_of(int normal) {
    const int whole[3] = {edge, edge, edge}, start[3] = {1, 1, 1};
    int part[3] = {edge - 2, edge - 2, edge - 2};
    part[normal] = 1;
    MPI_Datatype made;
    MPI_Type_create_subarray(3, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &made);
    return made;
}
static MPI_Datatype particle_type(void) {
    const int counts[4] = {1, 1, 3, 3};
    const MPI_Aint offsets[4] = {offsetof(particle, mass), offsetof(particle, kind), offsetof(particle, tag),
                                 offsetof(particle, place)};
    const MPI_Datatype types[4] = {MPI_DOUBLE, MPI_INT, MPI_CHAR, MPI_DOUBLE};
    MPI_Datatype fields, made;
    MPI_Type_create_struct(4, counts, offsets, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(particle), &made);
    MPI_Type_free(&fields);
    return made;
}

static char *packed;
static double times[2][batches];

/* How often, so that a batch takes about 200 microseconds. */
static int repetitions_for(int bytes) {
    return bytes > 1 << 16 ? 8 : bytes > 1 << 13 ? 20 : 50;
}

static void report(const char *what, const layout *l, double divisor) {
    char name[64];
    const double by_type = bench_median(times[0], batches) / divisor,
                 by_loop = bench_median(times[1], batches) / divisor;
    snprintf(name, sizeof name, "%s_%s", what, l->name);
    bench_result(name, l->bytes, by_type);
    snprintf(name, sizeof name, "%s_%s:loop", what, l->name);
    bench_result(name, l->bytes, by_type / by_loop);
}

static void time_packing(const layout *l) {
    const int repetitions = repetitions_for(l->bytes);
    char *const data = buffer_of(l);
    for (int unpack = 0; unpack < 2; ++unpack) {
        for (int b = -2; b < batches; ++b)
            for (int by_loop = 0; by_loop < 2; ++by_loop) {
                const double start = MPI_Wtime();
                for (int i = 0; i < repetitions; ++i) {
                    int position = 0;
                    if (by_loop)
                        unpack ? l->scatter(packed) : l->gather(packed);
                    else if (unpack)
                        MPI_Unpack(packed, longest * 8, &position, data, l->count, l->type, MPI_COMM_WORLD);
                    else
                        MPI_Pack(data, l->count, l->type, packed, longest * 8, &position, MPI_COMM_WORLD);
                }
                if (b >= 0)
                    times[by_loop][b] = (MPI_Wtime() - start) / repetitions;
            }
        report(unpack ? "unpack" : "pack", l, 1);
    }
}

static void time_messages(const layout *l, int rank) {
    const int repetitions = repetitions_for(l->bytes);
    char *const data = buffer_of(l);
    for (int b = -2; b < batches; ++b)
        for (int by_loop = 0; by_loop < 2; ++by_loop) {
            const double start = MPI_Wtime();
            for (int i = 0; i < 2 * repetitions; ++i) {
                const int sends = (i + rank) % 2 == 0;
                if (sends && by_loop) {
                    l->gather(packed);
                    MPI_Send(packed, l->bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
                } else if (sends)
                    MPI_Send(data, l->count, l->type, 1 - rank, 0, MPI_COMM_WORLD);
                else if (by_loop) {
                    MPI_Recv(packed, l->bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    l->scatter(packed);
                } else
                    MPI_Recv(data, l->count, l->type, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            if (b >= 0)
                times[by_loop][b] = (MPI_Wtime() - start) / (2 * repetitions);
        }
    if (rank == 0)
        report("message", l, 1);
}

static void *fresh(size_t bytes) {
    char *const memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    for (size_t i = 0; i < bytes; ++i)
        memory[i] = (char)i;
    return memory;
}

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    matrix = fresh(sizeof(double) * rows * width);
    grid = fresh(sizeof(double) * edge * edge * edge);
    scattered = fresh(sizeof(double) * pieces * 16);
    cloud = fresh(sizeof(particle) * particles);
    packed = fresh(sizeof(double) * longest);
    unsigned random = 12345;
    int ragged = 0;
    for (int i = 0; i < pieces; ++i) {
        random = random * 1664525U + 1013904223U;
        places[i] = i * 16 + (int)(random >> 28U);
        starts[i] = i * 16;
        lengths[i] = 1 + (int)(random >> 20U) % 8;
        ragged += lengths[i];
    }
    MPI_Datatype index, uneven;
    MPI_Type_create_indexed_block(pieces, 1, places, MPI_DOUBLE, &index);
    MPI_Type_indexed(pieces, lengths, starts, MPI_DOUBLE, &uneven);
    const int face = (edge - 2) * (edge - 2) * 8;
    layout layouts[] = {
        {"column", vector_of(1), 1, rows * 8, gather_column, scatter_column},
        {"columns4", vector_of(4), 1, rows * 32, gather_columns, scatter_columns},
        {"columns16", vector_of(16), 1, rows * 128, gather_band, scatter_band},
        {"face_i", face_of(0), 1, face, gather_face_i, scatter_face_i},
        {"face_j", face_of(1), 1, face, gather_face_j, scatter_face_j},
        {"face_k", face_of(2), 1, face, gather_face_k, scatter_face_k},
        {"index", index, 1, pieces * 8, gather_index, scatter_index},
        {"ragged", uneven, 1, ragged * 8, gather_ragged, scatter_ragged},
        {"struct", particle_type(), particles, particles * 39, gather_struct, scatter_struct},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; ++i) {
        layout *const l = &layouts[i];
        MPI_Type_commit(&l->type);
        if (rank == 0)
            time_packing(l);
        MPI_Barrier(MPI_COMM_WORLD);
        time_messages(l, rank);
        MPI_Type_free(&l->type);
    }
    MPI_Finalize();
    return 0;
}
