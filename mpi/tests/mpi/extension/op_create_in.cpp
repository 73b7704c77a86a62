// SPDX-License-Identifier: Apache-2.0
// MPIX_Op_create_in: an operation with a state in memory of the caller's, by blocking and nonblocking
// reductions, several at once, freed or not; memory that is too small or not aligned is refused.
#include "check.hpp"

#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace {

struct room {
    alignas(16) std::byte bytes[128];
};

/// The sum, and for each addition the state more.
void add_and_more(void *in, void *inout, MPI_Count count, MPI_Datatype type, void *state) {
    CHECK(type == MPI_LONG);
    for (MPI_Count i = 0; i < count; ++i)
        static_cast<long *>(inout)[i] += static_cast<long *>(in)[i] + *static_cast<long *>(state);
}

MPI_Op make(room &where, long &more) {
    MPI_Op op = MPI_OP_NULL;
    CHECK_MPI(MPIX_Op_create_in(where.bytes, sizeof where.bytes, add_and_more, 1, &more, &op));
    return op;
}

/// What the sum of `first` and its successors, one for each rank, is with `more` for each addition.
long expected(long first, long more, int ranks) {
    return first * ranks + ranks * (ranks - 1) / 2 + more * (ranks - 1);
}

void reduce(std::size_t count, int rank, int ranks) {
    room where;
    for (long more = 0; more < 20; ++more) { // in the same memory again and again, never freed
        std::vector<long> data(count);
        std::iota(data.begin(), data.end(), rank);
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(count), MPI_LONG,
                                make(where, more), MPI_COMM_WORLD));
        for (std::size_t i = 0; i < count; ++i)
            CHECK_EQ(data[i], expected(static_cast<long>(i), more, ranks));
    }
}

void reduce_at_once(int rank, int ranks) {
    constexpr std::size_t several = 8;
    std::array<room, several> rooms;
    std::array<long, several> mores{}, gives{}, takes{};
    std::array<MPI_Request, several> requests{};
    for (std::size_t i = 0; i < several; ++i) {
        mores[i] = static_cast<long>(100 * i);
        gives[i] = rank;
        CHECK_MPI(MPI_Iallreduce(&gives[i], &takes[i], 1, MPI_LONG, make(rooms[i], mores[i]), MPI_COMM_WORLD,
                                 &requests[i]));
    }
    CHECK_MPI(MPI_Waitall(several, requests.data(), MPI_STATUSES_IGNORE));
    for (std::size_t i = 0; i < several; ++i)
        CHECK_EQ(takes[i], expected(0, mores[i], ranks));
}

void free_it(int rank, int ranks) {
    room where;
    long more = 7, sum = rank;
    MPI_Op op = make(where, more);
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, op, MPI_COMM_WORLD));
    CHECK_EQ(sum, expected(0, more, ranks));
    CHECK_MPI(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
}

void refuse() {
    room where;
    long more = 0;
    MPI_Op op = MPI_OP_NULL;
    const auto create = [&](void *memory, int bytes, MPIX_User_function_x *function) {
        return MPIX_Op_create_in(memory, bytes, function, 1, &more, &op);
    };
    CHECK_ERROR(MPI_ERR_ARG, create(where.bytes, 8, add_and_more));
    CHECK_ERROR(MPI_ERR_ARG, create(where.bytes, -1, add_and_more));
    CHECK_ERROR(MPI_ERR_ARG, create(where.bytes + 1, 127, add_and_more));
    CHECK_ERROR(MPI_ERR_ARG, create(nullptr, 128, add_and_more));
    CHECK_ERROR(MPI_ERR_ARG, create(where.bytes, 128, nullptr));
    CHECK_ERROR(MPI_ERR_ARG, MPIX_Op_create_in(where.bytes, 128, add_and_more, 1, &more, nullptr));
}

} // namespace

int main(int argc, char **argv) {
    CHECK_MPI(MPI_Init(&argc, &argv));
    int rank = 0, ranks = 0;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    for (const std::size_t count : {1, 17, 5000})
        reduce(count, rank, ranks);
    reduce_at_once(rank, ranks);
    free_it(rank, ranks);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    refuse();
    CHECK_MPI(MPI_Finalize());
    return 0;
}
