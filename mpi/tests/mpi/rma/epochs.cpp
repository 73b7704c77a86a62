// SPDX-License-Identifier: Apache-2.0
// Fences and post/start/complete/wait: who waits for whom, with assertions, with groups that differ from rank
// to rank, with stores and transfers that alternate, and of several windows at once.
#include "payload.hpp"
#include "window.hpp"

#include <algorithm>
#include <cstdint>

namespace {

MPI_Group group_of(const std::vector<int> &ranks) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &all));
    CHECK_MPI(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some));
    CHECK_MPI(MPI_Group_free(&all));
    return some;
}

/// A value goes around; each lap the ranks store, put and load in turn, with fences of every assertion that
/// holds.
void alternating(const check::job &job, flavour how) {
    window_of<int> window(how, 4);
    const int next = (job.rank + 1) % job.size;
    const int previous = (job.rank + job.size - 1) % job.size;
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOPRECEDE, window.handle()));
    for (int lap = 1; lap <= 10; ++lap) {
        const int value = job.rank * 100 + lap;
        CHECK_MPI(MPI_Put(&value, 1, MPI_INT, next, window.at(next, 0), 1, MPI_INT, window.handle()));
        CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSTORE, window.handle()));
        CHECK_EQ(window[0], previous * 100 + lap);
        window[1] = -window[0];
        CHECK_MPI(MPI_Win_fence(lap % 2 == 0 ? MPI_MODE_NOPUT : 0, window.handle()));
        int got = 0;
        CHECK_MPI(MPI_Get(&got, 1, MPI_INT, previous, window.at(previous, 1), 1, MPI_INT, window.handle()));
        CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, window.handle()));
        CHECK_EQ(got, -((previous + job.size - 1) % job.size * 100 + lap));
    }
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.handle()));
}

/// A fence is late in one rank after the other: nobody's put is seen too early or lost.
void late_fences(const check::job &job, flavour how) {
    window_of<long> window(how, static_cast<std::size_t>(job.size));
    CHECK_MPI(MPI_Win_fence(0, window.handle()));
    for (long round = 0; round < 12; ++round) {
        if (round % job.size == job.rank) { // this one computes for a while, and calls nothing
            volatile double sum = 0;
            for (int i = 0; i < 200'000; ++i)
                sum = sum + i;
        }
        const long value = round * 1000 + job.rank;
        for (int target = 0; target < job.size; ++target)
            CHECK_MPI(MPI_Put(&value, 1, MPI_LONG, target,
                              window.at(target, static_cast<std::size_t>(job.rank)), 1, MPI_LONG,
                              window.handle()));
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        for (int rank = 0; rank < job.size; ++rank)
            CHECK_EQ(window[static_cast<std::size_t>(rank)], round * 1000 + rank);
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
    }
}

/// Neighbours on a ring expose to and access each other, and nobody else takes part.
void ring_of_groups(const check::job &job, flavour how, bool tests, int assertion) {
    window_of<int> window(how, 2);
    const int next = (job.rank + 1) % job.size;
    const int previous = (job.rank + job.size - 1) % job.size;
    MPI_Group origins = group_of({previous});
    MPI_Group targets = group_of({next});
    for (int lap = 0; lap < 20; ++lap) {
        const int value = job.rank * 1000 + lap;
        CHECK_MPI(MPI_Win_post(origins, assertion & (MPI_MODE_NOCHECK | MPI_MODE_NOSTORE), window.handle()));
        if ((assertion & MPI_MODE_NOCHECK) != 0) // then the post must be known to have come before the start
            CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_MPI(MPI_Win_start(targets, assertion & MPI_MODE_NOCHECK, window.handle()));
        CHECK_MPI(MPI_Put(&value, 1, MPI_INT, next, window.at(next, static_cast<std::size_t>(lap % 2)), 1,
                          MPI_INT, window.handle()));
        CHECK_MPI(MPI_Win_complete(window.handle()));
        if (tests)
            for (int done = 0; done == 0;)
                CHECK_MPI(MPI_Win_test(window.handle(), &done));
        else
            CHECK_MPI(MPI_Win_wait(window.handle()));
        CHECK_EQ(window[static_cast<std::size_t>(lap % 2)], previous * 1000 + lap);
    }
    CHECK_MPI(MPI_Group_free(&origins));
    CHECK_MPI(MPI_Group_free(&targets));
}

/// In each round some ranks, which all draw alike, are origins and the others targets. Everybody goes at
/// their own speed: there is no barrier between rounds.
void random_groups(const check::job &job, flavour how) {
    window_of<int> window(how, static_cast<std::size_t>(job.size));
    random_numbers random(3);
    for (int round = 1; round <= 60; ++round) {
        std::vector<int> origins;
        std::vector<int> targets;
        for (int rank = 0; rank < job.size; ++rank)
            (random.below(2) == 0 ? origins : targets).push_back(rank);
        if (origins.empty() || targets.empty())
            continue;
        if (std::ranges::find(origins, job.rank) != origins.end()) {
            const int value = round * 100 + job.rank;
            MPI_Group group = group_of(targets);
            CHECK_MPI(MPI_Win_start(group, 0, window.handle()));
            for (const int target : targets)
                CHECK_MPI(MPI_Put(&value, 1, MPI_INT, target,
                                  window.at(target, static_cast<std::size_t>(job.rank)), 1, MPI_INT,
                                  window.handle()));
            CHECK_MPI(MPI_Win_complete(window.handle()));
            CHECK_MPI(MPI_Group_free(&group));
        } else {
            MPI_Group group = group_of(origins);
            CHECK_MPI(MPI_Win_post(group, 0, window.handle()));
            CHECK_MPI(MPI_Win_wait(window.handle()));
            CHECK_MPI(MPI_Group_free(&group));
            for (const int origin : origins)
                CHECK_EQ(window[static_cast<std::size_t>(origin)], round * 100 + origin);
        }
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// A rank is target and origin at once, of different ranks: everybody accesses rank 0, which accesses all
/// others.
void both_ways(const check::job &job, flavour how) {
    if (job.size == 1)
        return;
    window_of<long> window(how, 1);
    std::vector<int> others;
    for (int rank = 1; rank < job.size; ++rank)
        others.push_back(rank);
    MPI_Group group = group_of(job.rank == 0 ? others : std::vector<int>{0});
    const long one = 1;
    for (int round = 1; round <= 10; ++round) {
        CHECK_MPI(MPI_Win_post(group, 0, window.handle()));
        CHECK_MPI(MPI_Win_start(group, 0, window.handle()));
        for (int target = 0; target < job.size; ++target)
            if ((target == 0) != (job.rank == 0))
                CHECK_MPI(MPI_Accumulate(&one, 1, MPI_LONG, target, window.at(target, 0), 1, MPI_LONG,
                                         MPI_SUM, window.handle()));
        CHECK_MPI(MPI_Win_complete(window.handle()));
        CHECK_MPI(MPI_Win_wait(window.handle()));
        CHECK_EQ(window[0],
                 job.rank == 0 ? static_cast<long>(round) * (job.size - 1) : static_cast<long>(round));
    }
    CHECK_MPI(MPI_Group_free(&group));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// MPI_Win_test says no while the origin has not completed, and yes once.
void test_waits(const check::job &job, flavour how) {
    if (job.size == 1)
        return;
    window_of<int> window(how, 1);
    if (job.rank == 0) {
        MPI_Group group = group_of({1});
        CHECK_MPI(MPI_Win_post(group, 0, window.handle()));
        int done = 1;
        CHECK_MPI(MPI_Win_test(window.handle(), &done));
        CHECK_EQ(done, 0);
        CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD));
        while (done == 0)
            CHECK_MPI(MPI_Win_test(window.handle(), &done));
        CHECK_EQ(window[0], 42);
        CHECK_MPI(MPI_Group_free(&group));
    } else if (job.rank == 1) {
        CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        MPI_Group group = group_of({0});
        const int value = 42;
        CHECK_MPI(MPI_Win_start(group, 0, window.handle()));
        CHECK_MPI(MPI_Put(&value, 1, MPI_INT, 0, window.at(0, 0), 1, MPI_INT, window.handle()));
        CHECK_MPI(MPI_Win_complete(window.handle()));
        CHECK_MPI(MPI_Group_free(&group));
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// Epochs of no rank end at once.
void empty_groups(flavour how) {
    const window_of<int> window(how, 1);
    CHECK_MPI(MPI_Win_post(MPI_GROUP_EMPTY, 0, window.handle()));
    CHECK_MPI(MPI_Win_start(MPI_GROUP_EMPTY, 0, window.handle()));
    CHECK_MPI(MPI_Win_complete(window.handle()));
    CHECK_MPI(MPI_Win_wait(window.handle()));
}

/// Epochs of two windows lie in each other, and one window goes through every kind of synchronisation.
void several_windows(const check::job &job, flavour how) {
    window_of<int> first(how, 1);
    window_of<int> second(how, 1);
    const int next = (job.rank + 1) % job.size;
    const int previous = (job.rank + job.size - 1) % job.size;
    CHECK_MPI(MPI_Win_fence(0, first.handle()));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, second.handle()));
    CHECK_MPI(MPI_Put(&job.rank, 1, MPI_INT, next, second.at(next, 0), 1, MPI_INT, second.handle()));
    CHECK_MPI(MPI_Put(&job.rank, 1, MPI_INT, next, first.at(next, 0), 1, MPI_INT, first.handle()));
    CHECK_MPI(MPI_Win_unlock(next, second.handle()));
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, first.handle()));
    CHECK_EQ(first[0], previous);
    CHECK_EQ(second[0], previous); // complete before the fence of the other window
    int round = 0;
    for (const mode each : all_modes) {
        ++round;
        const int value = round * 100 + job.rank;
        synchronised(each, first.handle(), MPI_COMM_WORLD, [&](int target) {
            if (target == next)
                CHECK_MPI(MPI_Put(&value, 1, MPI_INT, next, first.at(next, 0), 1, MPI_INT, first.handle()));
        });
        CHECK_EQ(first[0], round * 100 + previous);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        alternating(job, how);
        late_fences(job, how);
        ring_of_groups(job, how, false, 0);
        ring_of_groups(job, how, true, 0);
        ring_of_groups(job, how, false, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE);
        random_groups(job, how);
        both_ways(job, how);
        test_waits(job, how);
        empty_groups(how);
        several_windows(job, how);
    }
}
