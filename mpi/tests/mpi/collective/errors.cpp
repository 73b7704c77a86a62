// SPDX-License-Identifier: Apache-2.0
// Wrong arguments of collectives: each is answered with the standard's error class before anything is sent,
// so the communicator works afterwards; and lengths that do not match, where they can be seen.
#include "forms.hpp"

#include <cstring>

namespace {

void ignore(void *, void *, int *, MPI_Datatype *) {}

void arguments(int rank, int size) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    int a[4] = {1, 2, 3, 4};
    std::vector<int> b(static_cast<std::size_t>(4 * size)), counts(static_cast<std::size_t>(size), 1),
        places(counts);
    double x = 0, y = 0;
    CHECK_ERROR(MPI_ERR_OP, MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_BAND, comm));
    CHECK_ERROR(MPI_ERR_OP, MPI_Allreduce(a, b.data(), 1, MPI_INT, MPI_MINLOC, comm));
    CHECK_ERROR(MPI_ERR_OP, MPI_Reduce(a, b.data(), 1, MPI_CHAR, MPI_SUM, 0, comm));
    CHECK_ERROR(MPI_ERR_OP, MPI_Scan(a, b.data(), 1, MPI_INT, MPI_REPLACE, comm));
    CHECK_ERROR(MPI_ERR_OP, MPI_Exscan(a, b.data(), 1, MPI_INT, MPI_OP_NULL, comm));
    CHECK_ERROR(MPI_ERR_OP, MPI_Reduce_local(a, b.data(), 1, MPI_BYTE, MPI_SUM));
    CHECK_ERROR(MPI_ERR_ROOT, MPI_Bcast(a, 1, MPI_INT, size, comm));
    CHECK_ERROR(MPI_ERR_ROOT, MPI_Bcast(a, 1, MPI_INT, -1, comm));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Bcast(a, -1, MPI_INT, 0, comm));
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, comm));
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Bcast(nullptr, 1, MPI_INT, 0, comm));
    CHECK_ERROR(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, comm));
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Allgather(b.data(), 1, MPI_INT, b.data(), 1, MPI_INT, comm));
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Alltoall(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm));
    if (rank != 0)
        CHECK_ERROR(MPI_ERR_BUFFER, MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, b.data(), 1, MPI_INT, 0, comm));
    counts.back() = -1;
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Alltoallv(b.data(), counts.data(), places.data(), MPI_INT, a,
                                             counts.data(), places.data(), MPI_INT, comm));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Reduce_scatter(b.data(), a, counts.data(), MPI_INT, MPI_SUM, comm));
    MPI_Op op = MPI_SUM;
    CHECK_ERROR(MPI_ERR_OP, MPI_Op_free(&op));
    CHECK_MPI(MPI_Op_create(ignore, 1, &op));
    CHECK_MPI(MPI_Op_free(&op));
    CHECK_MPI(MPI_Barrier(comm));
}

/// The root sends more than the others expect (in the same algorithm: otherwise it takes LISLE_CHECK to
/// notice): they say so, and nothing is written beyond their buffers.
void mismatch(int rank, int size) {
    constexpr int sent = 4000, expected = 2000;
    int data[sent];
    std::memset(data, rank == 0 ? 1 : 2, sizeof data);
    const int code = MPI_Bcast(data, rank == 0 ? sent : expected, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0 || size == 1)
        CHECK_MPI(code);
    else if (rank == 1 || rank == 2) // the root's own children
        CHECK_EQ(check::error_class(code), MPI_ERR_TRUNCATE);
    CHECK_EQ(data[expected], rank == 0 ? 0x01010101 : 0x02020202);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Ibcast(data, rank == 0 ? sent : expected, MPI_INT, 0, MPI_COMM_WORLD, &request));
    const int late = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1 || rank == 2)
        CHECK_EQ(check::error_class(late), MPI_ERR_TRUNCATE);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// One block of an exchange is longer than its receiver expects: that rank says so and keeps all others.
void mismatched_block(int rank, int size) {
    constexpr int untouched = -7;
    const int last = size - 1;
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<int> given(2 * ranks, rank), taken(ranks + 1, untouched);
    std::vector<int> sent(ranks, 1), from(ranks), expected(ranks, 1), to(ranks);
    for (int peer = 0; peer < size; ++peer) {
        from[static_cast<std::size_t>(peer)] = 2 * peer;
        to[static_cast<std::size_t>(peer)] = peer;
    }
    // Rank 0's block has the last place: if it were written although it is too long, it would run over the
    // end.
    std::swap(to.front(), to.back());
    if (rank == 0)
        sent.back() = 2;
    const int code = MPI_Alltoallv(given.data(), sent.data(), from.data(), MPI_INT, taken.data(),
                                   expected.data(), to.data(), MPI_INT, MPI_COMM_WORLD);
    if (rank == last)
        CHECK_EQ(check::error_class(code), MPI_ERR_TRUNCATE);
    else
        CHECK_MPI(code);
    CHECK_EQ(taken.back(), untouched);
    for (int peer = rank == last ? 1 : 0; peer < size; ++peer)
        CHECK_EQ(taken[static_cast<std::size_t>(to[static_cast<std::size_t>(peer)])], peer);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    arguments(job.rank, job.size);
    mismatch(job.rank, job.size);
    mismatched_block(job.rank, job.size);
    return 0;
}
