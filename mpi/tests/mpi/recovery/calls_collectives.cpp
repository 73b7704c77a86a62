// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

namespace recovery {

namespace {

/// A row for each form of a collective: NAME, I_NAME and NAME_init with these arguments, of which `at` gives
/// the buffers. A macro, since the three have names of their own.
#define FORMS(NAME, I_NAME, NEED, ...)                                                                       \
    row{"MPI_" #NAME, need::NEED, end::fails, [](surroundings &at) { return MPI_##NAME(__VA_ARGS__); }},     \
        row{"MPI_" #I_NAME, need::NEED, end::fails,                                                          \
            [](surroundings &at) {                                                                           \
                MPI_Request request = MPI_REQUEST_NULL;                                                      \
                return finish(MPI_##I_NAME(__VA_ARGS__, &request), request);                                 \
            }},                                                                                              \
        row {                                                                                                \
        "MPI_" #NAME "_init", need::NEED, end::fails, [](surroundings &at) {                                 \
            MPI_Request request = MPI_REQUEST_NULL;                                                          \
            return finish_persistent(MPI_##NAME##_init(__VA_ARGS__, MPI_INFO_NULL, &request), request);      \
        }                                                                                                    \
    }
#define GIVEN at.give.data(), 1, MPI_INT
#define TAKEN at.take.data(), 1, MPI_INT
#define GIVEN_EACH at.give.data(), at.counts.data(), at.places.data(), MPI_INT
#define TAKEN_EACH at.take.data(), at.counts.data(), at.places.data(), MPI_INT
#define GIVEN_TYPES at.give.data(), at.counts.data(), at.places.data(), at.types.data()
#define TAKEN_TYPES at.take.data(), at.counts.data(), at.places.data(), at.types.data()
#define REDUCED at.give.data(), at.take.data(), 3, MPI_INT, MPI_SUM

/// As of MPI_Neighbor_alltoallw, whose places are addresses.
const std::array<MPI_Aint, 64> offsets{};
#define GIVEN_NEAR at.give.data(), at.counts.data(), offsets.data(), at.types.data()
#define TAKEN_NEAR at.take.data(), at.counts.data(), offsets.data(), at.types.data()

const std::array rows{
    row{"MPI_Barrier", need::all, end::fails, [](surroundings &at) { return MPI_Barrier(at.comm); }},
    row{"MPI_Ibarrier", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            return finish(MPI_Ibarrier(at.comm, &request), request);
        }},
    row{"MPI_Barrier_init", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            return finish_persistent(MPI_Barrier_init(at.comm, MPI_INFO_NULL, &request), request);
        }},
    FORMS(Bcast, Ibcast, all, GIVEN, 1, at.comm),
    row{"MPI_Bcast.long", need::all, end::fails,
        [](surroundings &at) { return MPI_Bcast(at.give.data(), 4096, MPI_INT, 0, at.comm); }},
    row{"MPI_Bcast.lost_root", need::all, end::fails,
        [](surroundings &at) { return MPI_Bcast(at.give.data(), 9, MPI_INT, at.dead, at.comm); }},
    FORMS(Gather, Igather, all, GIVEN, TAKEN, 1, at.comm),
    FORMS(Gatherv, Igatherv, all, GIVEN, TAKEN_EACH, 0, at.comm),
    FORMS(Scatter, Iscatter, all, GIVEN, TAKEN, 0, at.comm),
    FORMS(Scatterv, Iscatterv, all, GIVEN_EACH, TAKEN, 1, at.comm),
    FORMS(Allgather, Iallgather, all, GIVEN, TAKEN, at.comm),
    FORMS(Allgatherv, Iallgatherv, all, GIVEN, TAKEN_EACH, at.comm),
    FORMS(Alltoall, Ialltoall, all, GIVEN, TAKEN, at.comm),
    FORMS(Alltoallv, Ialltoallv, all, GIVEN_EACH, TAKEN_EACH, at.comm),
    FORMS(Alltoallw, Ialltoallw, all, GIVEN_TYPES, TAKEN_TYPES, at.comm),
    FORMS(Reduce, Ireduce, all, REDUCED, 0, at.comm),
    FORMS(Allreduce, Iallreduce, all, REDUCED, at.comm),
    row{"MPI_Allreduce.long", need::all, end::fails,
        [](surroundings &at) {
            return MPI_Allreduce(at.give.data(), at.take.data(), 4096, MPI_INT, MPI_SUM, at.comm);
        }},
    FORMS(Reduce_scatter, Ireduce_scatter, all, at.give.data(), at.take.data(), at.counts.data(), MPI_INT,
          MPI_SUM, at.comm),
    FORMS(Reduce_scatter_block, Ireduce_scatter_block, all, at.give.data(), at.take.data(), 1, MPI_INT,
          MPI_SUM, at.comm),
    FORMS(Scan, Iscan, all, REDUCED, at.comm),
    FORMS(Exscan, Iexscan, all, REDUCED, at.comm),
    FORMS(Neighbor_allgather, Ineighbor_allgather, ring, GIVEN, TAKEN, at.comm),
    FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, ring, GIVEN, TAKEN_EACH, at.comm),
    FORMS(Neighbor_alltoall, Ineighbor_alltoall, ring, GIVEN, TAKEN, at.comm),
    FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, ring, GIVEN_EACH, TAKEN_EACH, at.comm),
    FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, ring, GIVEN_NEAR, TAKEN_NEAR, at.comm),
    row{"MPI_Barrier.inter", need::inter, end::fails, [](surroundings &at) { return MPI_Barrier(at.comm); }},
    row{"MPI_Allgather.inter", need::inter, end::fails,
        [](surroundings &at) { return MPI_Allgather(GIVEN, TAKEN, at.comm); }},
    row{"MPI_Allreduce.inter", need::inter, end::fails,
        [](surroundings &at) { return MPI_Allreduce(REDUCED, at.comm); }},
    row{"MPI_Allreduce.of_survivors", need::all, end::works,
        [](surroundings &at) { return MPI_Allreduce(REDUCED, at.part); }},
};

} // namespace

std::span<const row> collective_calls() {
    return rows;
}

} // namespace recovery
