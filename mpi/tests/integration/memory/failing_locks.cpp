// SPDX-License-Identifier: Apache-2.0
// Lets the allocations of one rank fail, one in each round, while all ranks use a window: as origin it gets
// MPI_ERR_NO_MEM from a call that has done nothing, and can make it again; as target it serves what it was
// asked for once there is memory. No lock is lost, none is held twice, no operation is made twice or not at
// all, and nobody waits for ever. To be started with counted_allocations loaded first.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "starving.hpp"

namespace {

using starving::ranks, starving::wrong;

constexpr int sums = 40; ///< numbers with gaps between them, behind the counter

/// What one rank has at the beginning of the window of the first.
struct shared {
    long counter; ///< changed under exclusive locks
    std::array<long, std::size_t{2} * sums> added;
};

struct job {
    ranks here;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Datatype spread = MPI_DATATYPE_NULL; ///< every other number of `added`
    MPI_Group before = MPI_GROUP_NULL, after = MPI_GROUP_NULL;
    long failures = 0;

    /// A call that may be made again after it has failed for lack of memory.
    template <class Call> void until_it_works(const char *name, Call call) {
        for (;;) {
            const int code = call();
            const int found = starving::class_of(code);
            if (found == MPI_SUCCESS) {
                return;
            }
            ++failures;
            if (found != MPI_ERR_NO_MEM) {
                std::fprintf(stderr, "%s at rank %d: the error class is %d\n", name, here.self, found);
                starving::complain_of(code);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
    /// A call that others count on: it waits for memory.
    void must_work(const char *name, int code) {
        if (code != MPI_SUCCESS) {
            std::fprintf(stderr, "%s at rank %d has failed\n", name, here.self);
            starving::complain_of(code);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
};

void count_up(job &all) {
    long value = 0;
    all.until_it_works("MPI_Win_lock", [&] { return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, all.window); });
    all.until_it_works("MPI_Get",
                       [&] { return MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, all.window); });
    all.until_it_works("MPI_Win_flush", [&] { return MPI_Win_flush(0, all.window); });
    ++value;
    all.until_it_works("MPI_Put",
                       [&] { return MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, all.window); });
    all.must_work("MPI_Win_unlock", MPI_Win_unlock(0, all.window));
}

void add_everywhere(job &all) {
    std::array<long, sums> ones{};
    ones.fill(1);
    all.until_it_works("MPI_Win_lock_all", [&] { return MPI_Win_lock_all(0, all.window); });
    for (int target = 0; target < all.here.size; ++target) {
        all.until_it_works("MPI_Accumulate", [&] {
            return MPI_Accumulate(ones.data(), sums, MPI_LONG, target, sizeof(long), 1, all.spread, MPI_SUM,
                                  all.window);
        });
    }
    all.must_work("MPI_Win_unlock_all", MPI_Win_unlock_all(all.window));
}

/// Each rank lets in the one before it.
void pass_on(job &all) {
    const long one = 1;
    const int next = (all.here.self + 1) % all.here.size;
    all.until_it_works("MPI_Win_post", [&] { return MPI_Win_post(all.before, 0, all.window); });
    all.until_it_works("MPI_Win_start", [&] { return MPI_Win_start(all.after, 0, all.window); });
    all.until_it_works("MPI_Accumulate", [&] {
        return MPI_Accumulate(&one, 1, MPI_LONG, next, 2 * sizeof(long), 1, MPI_LONG, MPI_SUM, all.window);
    });
    all.must_work("MPI_Win_complete", MPI_Win_complete(all.window));
    all.must_work("MPI_Win_wait", MPI_Win_wait(all.window));
}

/// One round of all ranks. @return how many allocations the poor one made
long use(job &all, int poor, long number) {
    counted_begin(all.here.self == poor ? number : 0);
    count_up(all);
    add_everywhere(all);
    pass_on(all);
    all.must_work("MPI_Win_fence", MPI_Win_fence(0, all.window));
    all.must_work("MPI_Win_fence", MPI_Win_fence(MPI_MODE_NOSUCCEED, all.window));
    long made = counted_end();
    MPI_Bcast(&made, 1, MPI_LONG, poor, MPI_COMM_WORLD);
    return made;
}

void check(const job &all, const shared &own, long rounds) {
    const auto all_ranks = static_cast<long>(all.here.size);
    bool right = all.here.self != 0 || own.counter == rounds * all_ranks;
    for (std::size_t at = 0; at < own.added.size(); ++at) {
        const long of_all = at % 2 == 0 ? rounds * all_ranks : 0;
        right = right && own.added.at(at) == of_all + (at == 1 ? rounds : 0);
    }
    if (!right) {
        std::fprintf(stderr, "rank %d: after %ld rounds the counter is %ld, the first sums %ld, %ld, %ld\n",
                     all.here.self, rounds, own.counter, own.added[0], own.added[1], own.added[2]);
        ++wrong;
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    job all;
    MPI_Comm_rank(MPI_COMM_WORLD, &all.here.self);
    MPI_Comm_size(MPI_COMM_WORLD, &all.here.size);
    const int next = (all.here.self + 1) % all.here.size;
    const int previous = (all.here.self + all.here.size - 1) % all.here.size;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &previous, &all.before);
    MPI_Group_incl(world, 1, &next, &all.after);
    MPI_Type_vector(sums, 1, 2, MPI_LONG, &all.spread);
    MPI_Type_commit(&all.spread);
    shared own{};
    MPI_Win_create(&own, sizeof own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &all.window);
    MPI_Win_set_errhandler(all.window, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const long most = argc > 1 ? std::atol(argv[1]) : 60;
    long rounds = 1;
    use(all, 0, 0); // what is kept from the first time on is no longer allocated
    for (int poor = 0; poor < all.here.size; ++poor) {
        for (long number = 1, made = most; number <= most && number <= made; ++number, ++rounds) {
            made = use(all, poor, number);
        }
    }
    check(all, own, rounds);
    long failures = 0;
    MPI_Allreduce(&all.failures, &failures, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&all.window);
    MPI_Type_free(&all.spread);
    for (MPI_Group *each : {&world, &all.before, &all.after}) {
        MPI_Group_free(each);
    }
    if (all.here.self == 0) {
        std::printf("%ld rounds, %ld calls have failed\n", rounds, failures);
    }
    MPI_Finalize();
    if (failures < 3) {
        std::fprintf(stderr, "only %ld calls have failed: allocations do not fail as they should\n",
                     failures);
        ++wrong;
    }
    return wrong == 0 ? 0 : 1;
}
