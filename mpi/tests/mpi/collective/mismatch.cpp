// SPDX-License-Identifier: Apache-2.0
// Calls that do not fit together, with LISLE_CHECK=1 or 2: all ranks hear of it, with two ranks and their
// values, and the communicator works afterwards.
#include "forms.hpp"

#include <algorithm>
#include <cstring>

namespace {

void add(void *in, void *inout, int *count, MPI_Datatype *) {
    for (int i = 0; i < *count; ++i)
        static_cast<int *>(inout)[i] += static_cast<int *>(in)[i];
}

/// What a rank gives and what it takes in a collective that moves data.
struct exchange {
    MPI_Datatype given, taken;
    const char *given_name, *taken_name;
    int counts[8] = {1, 1, 1, 1, 1, 1, 1, 1}, places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int bytes[8] = {0, 16, 32, 48, 64, 80, 96, 112};
    MPI_Aint far[8] = {0, 16, 32, 48, 64, 80, 96, 112};
    MPI_Datatype all_given[8], all_taken[8];
    char from[128] = {}, to[128] = {};

    exchange(MPI_Datatype gives, const char *gives_name, MPI_Datatype takes, const char *takes_name)
        : given{gives}, taken{takes}, given_name{gives_name}, taken_name{takes_name} {
        std::fill_n(all_given, 8, gives);
        std::fill_n(all_taken, 8, takes);
    }
};

/// At least one rank has an error, and each of them names both types.
void expect_both_types(const exchange &types, int error, MPI_Comm comm) {
    int error_class = MPI_SUCCESS, most = 0, length = 0;
    CHECK_MPI(MPI_Error_class(error, &error_class));
    if (error != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING] = "";
        CHECK_EQ(error_class, MPI_ERR_TYPE);
        CHECK_MPI(MPI_Error_string(error, text, &length));
        const bool both = std::strstr(text, types.given_name) && std::strstr(text, types.taken_name);
        if (!both) {
            std::fprintf(stderr, "%s\n", text);
        }
        CHECK(both);
    }
    CHECK_MPI(MPI_Allreduce(&error_class, &most, 1, MPI_INT, MPI_MAX, comm));
    CHECK_EQ(most, MPI_ERR_TYPE);
}

/// Makes a call in one form; returns its error.
template <class Blocking, class Begin, class Make, class... Arguments>
int error_of(form how, Blocking blocking, Begin begin, Make make, Arguments... arguments) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (how == form::blocking) {
        return blocking(arguments...);
    }
    if (how == form::non_blocking) {
        const int begun = begin(arguments..., &request);
        return begun != MPI_SUCCESS ? begun : MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    CHECK_MPI(make(arguments..., MPI_INFO_NULL, &request));
    CHECK_MPI(MPI_Start(&request));
    const int error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_MPI(MPI_Request_free(&request));
    return error;
}

/// Every collective that moves data from buffers of one type to those of another.
template <class Check> void each_movement(form how, exchange &x, MPI_Comm comm, MPI_Comm ring, Check check) {
    const int root = 1;
    check(error_of(how, MPI_Gather, MPI_Igather, MPI_Gather_init, x.from, 1, x.given, x.to, 1, x.taken, root,
                   comm));
    check(error_of(how, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, x.from, 1, x.given, x.to, x.counts,
                   x.places, x.taken, root, comm));
    check(error_of(how, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, x.from, 1, x.given, x.to, 1, x.taken,
                   root, comm));
    check(error_of(how, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, x.from, x.counts, x.places, x.given,
                   x.to, 1, x.taken, root, comm));
    check(error_of(how, MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, x.from, 1, x.given, x.to, 1,
                   x.taken, comm));
    check(error_of(how, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, x.from, 1, x.given, x.to,
                   x.counts, x.places, x.taken, comm));
    check(error_of(how, MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, x.from, 1, x.given, x.to, 1, x.taken,
                   comm));
    check(error_of(how, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, x.from, x.counts, x.places,
                   x.given, x.to, x.counts, x.places, x.taken, comm));
    check(error_of(how, MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, x.from, x.counts, x.bytes,
                   x.all_given, x.to, x.counts, x.bytes, x.all_taken, comm));
    check(error_of(how, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, x.from,
                   1, x.given, x.to, 1, x.taken, ring));
    check(error_of(how, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init,
                   x.from, 1, x.given, x.to, x.counts, x.places, x.taken, ring));
    check(error_of(how, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, x.from, 1,
                   x.given, x.to, 1, x.taken, ring));
    check(error_of(how, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, x.from,
                   x.counts, x.places, x.given, x.to, x.counts, x.places, x.taken, ring));
    check(error_of(how, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, x.from,
                   x.counts, x.far, x.all_given, x.to, x.counts, x.far, x.all_taken, ring));
}

MPI_Datatype pair_of(MPI_Datatype first, MPI_Datatype second) {
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype types[2] = {first, second};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_create_struct(2, lengths, places, types, &made));
    CHECK_MPI(MPI_Type_commit(&made));
    return made;
}

/// All ranks give what no rank takes; then one rank alone gives something else.
void check_movements(const check::job &job, MPI_Comm comm) {
    const int periodic = 1;
    MPI_Comm ring = MPI_COMM_NULL;
    CHECK_MPI(MPI_Cart_create(comm, 1, &job.size, &periodic, 0, &ring));
    MPI_Datatype int_double = pair_of(MPI_INT, MPI_DOUBLE), double_int = pair_of(MPI_DOUBLE, MPI_INT);
    exchange plain{MPI_INT, "MPI_INT", MPI_FLOAT, "MPI_FLOAT"};
    exchange structures{int_double, "{MPI_INT, MPI_DOUBLE}", double_int, "{MPI_DOUBLE, MPI_INT}"};
    exchange one_rank{job.rank == 1 ? double_int : int_double, "{MPI_INT, MPI_DOUBLE}", int_double,
                      "{MPI_DOUBLE, MPI_INT}"};
    exchange right{int_double, "", int_double, ""};
    for (const form how : all_forms) {
        for (exchange *types : {&plain, &structures, &one_rank}) {
            each_movement(how, *types, comm, ring,
                          [&](int error) { expect_both_types(*types, error, comm); });
        }
        each_movement(how, right, comm, ring, [](int error) { CHECK_EQ(error, MPI_SUCCESS); });
    }
    CHECK_MPI(MPI_Type_free(&int_double));
    CHECK_MPI(MPI_Type_free(&double_int));
    CHECK_MPI(MPI_Comm_free(&ring));
}

/// Lengths that only pairs of ranks know.
void check_lengths(const check::job &job, MPI_Comm comm) {
    int data[8] = {}, result[8] = {};
    const int places[8] = {0, 1, 2, 3, 4, 5, 6, 7}, counts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const bool at_root = job.rank == 0, odd_one = job.rank == job.size - 1;
    const int gathered =
        MPI_Gatherv(data, odd_one ? 0 : 1, MPI_INT, result, counts, places, MPI_INT, 0, comm);
    CHECK_EQ(gathered, at_root ? MPI_ERR_COUNT : MPI_SUCCESS);
    int pieces[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    pieces[0] += odd_one ? 1 : 0;
    pieces[1] -= odd_one ? 1 : 0;
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Reduce_scatter(data, result, pieces, MPI_INT, MPI_SUM, comm));
    CHECK_ERROR(MPI_ERR_TYPE,
                MPI_Reduce_scatter_block(data, result, 1, odd_one ? MPI_FLOAT : MPI_INT, MPI_SUM, comm));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const MPI_Comm comm = MPI_COMM_WORLD;
    CHECK_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    const bool odd_one = job.rank == job.size - 1;
    int data[100] = {}, result[100] = {};

    CHECK_ERROR(MPI_ERR_ROOT, MPI_Bcast(data, 4, MPI_INT, odd_one ? 1 : 0, comm));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Allreduce(data, result, odd_one ? 7 : 5, MPI_INT, MPI_SUM, comm));
    CHECK_ERROR(MPI_ERR_OP, MPI_Reduce(data, result, 2, MPI_INT, odd_one ? MPI_MAX : MPI_SUM, 0, comm));
    // Of users' operations nobody can say more than whether they commute.
    MPI_Op commuting = MPI_OP_NULL, in_order = MPI_OP_NULL, other = MPI_OP_NULL;
    CHECK_MPI(MPI_Op_create(add, 1, &commuting));
    CHECK_MPI(MPI_Op_create(add, 0, &in_order));
    CHECK_MPI(
        MPI_Op_create([](void *a, void *b, int *n, MPI_Datatype *type) { add(a, b, n, type); }, 0, &other));
    CHECK_ERROR(MPI_ERR_OP, MPI_Scan(data, result, 2, MPI_INT, odd_one ? MPI_SUM : in_order, comm));
    CHECK_ERROR(MPI_ERR_OP, MPI_Allreduce(data, result, 2, MPI_INT, odd_one ? in_order : commuting, comm));
    CHECK_MPI(MPI_Allreduce(data, result, 2, MPI_INT, odd_one ? other : in_order, comm));
    for (MPI_Op *each : {&commuting, &in_order, &other})
        CHECK_MPI(MPI_Op_free(each));
    CHECK_ERROR(MPI_ERR_OTHER, odd_one ? MPI_Barrier(comm) : MPI_Bcast(data, 100, MPI_INT, 0, comm));

    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Ibcast(data, odd_one ? 3 : 4, MPI_INT, 0, comm, &request));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Wait(&request, MPI_STATUS_IGNORE));

    check_movements(job, comm);
    check_lengths(job, comm);

    for (int round = 0; round < 3; ++round) {
        data[0] = job.rank + round;
        CHECK_MPI(MPI_Allreduce(data, result, 1, MPI_INT, MPI_SUM, comm));
        CHECK_EQ(result[0], job.size * (job.size - 1) / 2 + round * job.size);
    }
    return 0;
}
