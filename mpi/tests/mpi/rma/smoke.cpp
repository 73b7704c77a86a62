// SPDX-License-Identifier: Apache-2.0
// The shortest look at one-sided communication: every kind of window, every way to synchronise and every
// operation once, each with its right neighbour.
#include "../check.hpp"

#include <vector>

namespace {

struct placement {
    int rank, size, right, left;
};

MPI_Win make_window(int flavor, const placement &at, std::vector<long> &memory, long *&base) {
    MPI_Win win = MPI_WIN_NULL;
    const MPI_Aint bytes = 64 * static_cast<MPI_Aint>(sizeof(long));
    switch (flavor) {
    case MPI_WIN_FLAVOR_CREATE:
        memory.assign(64, 0);
        base = memory.data();
        CHECK_MPI(MPI_Win_create(base, bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        break;
    case MPI_WIN_FLAVOR_ALLOCATE:
        CHECK_MPI(MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                                   static_cast<void *>(&base), &win));
        break;
    default:
        CHECK_MPI(MPI_Win_allocate_shared(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                                          static_cast<void *>(&base), &win));
    }
    for (int i = 0; i < 64; ++i)
        base[i] = 1000 * at.rank + i;
    int *found = nullptr;
    int flag = 0;
    CHECK_MPI(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, static_cast<void *>(&found), &flag));
    CHECK_EQ(*found, flavor);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return win;
}

void fences(const placement &at, MPI_Win win, const long *base) {
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    long sent = 7000 + at.rank;
    long got = -1;
    CHECK_MPI(MPI_Put(&sent, 1, MPI_LONG, at.right, 3, 1, MPI_LONG, win));
    CHECK_MPI(MPI_Get(&got, 1, MPI_LONG, at.right, 5, 1, MPI_LONG, win));
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(base[3], 7000 + at.left);
    CHECK_EQ(got, 1000 * at.right + 5);
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Put(&sent, 1, MPI_LONG, at.right, 3, 1, MPI_LONG, win));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

void strided(const placement &at, MPI_Win win, const long *base) {
    MPI_Datatype every_second = MPI_DATATYPE_NULL;
    MPI_Type_vector(4, 1, 2, MPI_LONG, &every_second);
    MPI_Type_commit(&every_second);
    const long sent[4] = {at.rank, at.rank + 1, at.rank + 2, at.rank + 3};
    long got[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    CHECK_MPI(MPI_Win_fence(0, win));
    CHECK_MPI(MPI_Put(sent, 4, MPI_LONG, at.right, 40, 1, every_second, win));
    CHECK_MPI(MPI_Win_fence(0, win));
    CHECK_MPI(MPI_Get(got, 1, every_second, at.right, 40, 1, every_second, win));
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; i < 4; ++i) {
        CHECK_EQ(base[40 + 2 * i], at.left + i);
        CHECK_EQ(got[2 * i], at.rank + i);
        CHECK_EQ(got[2 * i + 1], -1);
    }
    MPI_Type_free(&every_second);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

void neighbours(const placement &at, MPI_Win win, const long *base) {
    MPI_Group all = MPI_GROUP_NULL, to = MPI_GROUP_NULL, from = MPI_GROUP_NULL;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &at.right, &to);
    MPI_Group_incl(all, 1, &at.left, &from);
    for (long round = 0; round < 10; ++round) {
        CHECK_MPI(MPI_Win_post(from, 0, win));
        CHECK_MPI(MPI_Win_start(to, 0, win));
        const long sent = 100 * round + at.rank;
        CHECK_MPI(MPI_Put(&sent, 1, MPI_LONG, at.right, 9, 1, MPI_LONG, win));
        CHECK_MPI(MPI_Win_complete(win));
        if (round % 2 == 0) {
            CHECK_MPI(MPI_Win_wait(win));
        } else {
            int flag = 0;
            while (flag == 0)
                CHECK_MPI(MPI_Win_test(win, &flag));
        }
        CHECK_EQ(base[9], 100 * round + at.left);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

void counters(const placement &at, MPI_Win win, long *base) {
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, at.rank, 0, win));
    base[20] = base[21] = base[22] = 0;
    CHECK_MPI(MPI_Win_unlock(at.rank, win));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    constexpr long rounds = 200;
    const long one = 1;
    for (long i = 0; i < rounds; ++i) {
        // A sum of its own making, under the lock, and two of the library's.
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        long value = 0;
        CHECK_MPI(MPI_Get(&value, 1, MPI_LONG, 0, 20, 1, MPI_LONG, win));
        CHECK_MPI(MPI_Win_flush(0, win));
        ++value;
        CHECK_MPI(MPI_Put(&value, 1, MPI_LONG, 0, 20, 1, MPI_LONG, win));
        CHECK_MPI(MPI_Win_unlock(0, win));
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        long former = -1;
        CHECK_MPI(MPI_Fetch_and_op(&one, &former, MPI_LONG, 0, 21, MPI_SUM, win));
        CHECK_MPI(MPI_Win_flush(0, win));
        CHECK(former >= i);
        CHECK_MPI(MPI_Accumulate(&one, 1, MPI_LONG, 0, 22, 1, MPI_LONG, MPI_SUM, win));
        CHECK_MPI(MPI_Win_unlock(0, win));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_lock_all(0, win));
    long found[3] = {0, 0, 0};
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Rget(found, 3, MPI_LONG, 0, 20, 3, MPI_LONG, win, &request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (const long value : found)
        CHECK_EQ(value, rounds * at.size);
    CHECK_MPI(MPI_Win_unlock_all(win));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

void swaps(const placement &at, MPI_Win win, long *base) {
    base[30] = 5;
    base[31] = 8;
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_lock_all(0, win));
    const long compare = 5, next = 6, operand = 3;
    long result = -1, former = -1;
    CHECK_MPI(MPI_Compare_and_swap(&next, &compare, &result, MPI_LONG, at.right, 30, win));
    CHECK_MPI(MPI_Get_accumulate(&operand, 1, MPI_LONG, &former, 1, MPI_LONG, at.right, 31, 1, MPI_LONG,
                                 MPI_MAX, win));
    CHECK_MPI(MPI_Win_flush_all(win));
    CHECK_EQ(result, 5);
    CHECK_EQ(former, 8);
    CHECK_MPI(MPI_Win_unlock_all(win));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(base[30], 6);
    CHECK_EQ(base[31], 8);
}

void dynamic(const placement &at) {
    MPI_Win win = MPI_WIN_NULL;
    CHECK_MPI(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    std::vector<long> memory(16, at.rank);
    CHECK_MPI(MPI_Win_attach(win, memory.data(), 16 * sizeof(long)));
    CHECK_ERROR(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, memory.data() + 3, 8));
    MPI_Aint own = 0, there = 0;
    MPI_Get_address(memory.data(), &own);
    MPI_Sendrecv(&own, 1, MPI_AINT, at.left, 0, &there, 1, MPI_AINT, at.right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_MPI(MPI_Win_fence(0, win));
    const long sent = 50 + at.rank;
    CHECK_MPI(MPI_Put(&sent, 1, MPI_LONG, at.right, MPI_Aint_add(there, 2 * sizeof(long)), 1, MPI_LONG, win));
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(memory[2], 50 + at.left);
    CHECK_MPI(MPI_Win_detach(win, memory.data()));
    CHECK_MPI(MPI_Win_free(&win));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const placement at{job.rank, job.size, (job.rank + 1) % job.size, (job.rank + job.size - 1) % job.size};
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int on_node = 0;
    MPI_Comm_size(node, &on_node);
    MPI_Comm_free(&node);
    for (const int flavor : {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED}) {
        if (flavor == MPI_WIN_FLAVOR_SHARED && on_node != job.size)
            continue;
        std::vector<long> memory;
        long *base = nullptr;
        MPI_Win win = make_window(flavor, at, memory, base);
        fences(at, win, base);
        strided(at, win, base);
        neighbours(at, win, base);
        counters(at, win, base);
        swaps(at, win, base);
        CHECK_MPI(MPI_Win_free(&win));
        CHECK(win == MPI_WIN_NULL);
    }
    dynamic(at);
    return 0;
}
