// SPDX-License-Identifier: Apache-2.0
// Calls that do not fit together, with LISLE_CHECK=1: all ranks hear of it, with two ranks and their values,
// and the communicator works afterwards.
#include "forms.hpp"

namespace {

void add(void *in, void *inout, int *count, MPI_Datatype *) {
    for (int i = 0; i < *count; ++i)
        static_cast<int *>(inout)[i] += static_cast<int *>(in)[i];
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

    for (int round = 0; round < 3; ++round) {
        data[0] = job.rank + round;
        CHECK_MPI(MPI_Allreduce(data, result, 1, MPI_INT, MPI_SUM, comm));
        CHECK_EQ(result[0], job.size * (job.size - 1) / 2 + round * job.size);
    }
    return 0;
}
