// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/wait_report.hpp"

#include <gtest/gtest.h>

namespace {

using namespace lisle;
using sort = wait_note::sort;

constexpr std::uint64_t world = 32, twin = 64;

wait_note::comm comm_of(std::uint64_t context, int size, const char *name, std::uint64_t collectives = 0) {
    wait_note::comm made{};
    made.context = context;
    made.size = size;
    made.stride = 1;
    made.collectives = collectives;
    wait_note::write(made.name, name);
    return made;
}

/// Ranks that all receive from each rank's `awaited(rank)`.
template <class Awaited> job_waits receivers(int size, Awaited awaited, int tag = 7) {
    job_waits job(static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
        rank_wait &each = job[static_cast<std::size_t>(rank)];
        each.state = wait_table::state::waiting;
        wait_note::write(each.note.call, "MPI_Recv");
        each.note.add(wait_note::operation{world, 4, awaited(rank), tag, sort::receive});
        each.note.add(comm_of(world, size, "MPI_COMM_WORLD"));
    }
    return job;
}

TEST(WaitCycles, ARingIsNamedFromItsSmallestRankOn) {
    const auto job = receivers(4, [](int rank) { return rank == 3 ? 1 : rank + 1; });
    EXPECT_EQ(wait_cycles(job), "rank 1 waits in MPI_Recv for rank 2, rank 2 waits in MPI_Recv for rank 3, "
                                "rank 3 waits in MPI_Recv for rank 1.\n");
}

TEST(WaitCycles, RingsApartAreNamedBoth) {
    const auto job = receivers(4, [](int rank) { return rank ^ 1; });
    EXPECT_EQ(wait_cycles(job),
              "rank 0 waits in MPI_Recv for rank 1, rank 1 waits in MPI_Recv for rank 0.\n"
              "rank 2 waits in MPI_Recv for rank 3, rank 3 waits in MPI_Recv for rank 2.\n");
}

TEST(WaitCycles, ARankMayWaitForItself) {
    const auto job = receivers(1, [](int) { return 0; });
    EXPECT_EQ(wait_cycles(job), "rank 0 waits in MPI_Recv for itself.\n");
}

TEST(WaitCycles, LongRingsAreCutShort) {
    const auto job = receivers(100, [](int rank) { return (rank + 1) % 100; });
    EXPECT_NE(
        wait_cycles(job).find("and so on until rank 99 waits in MPI_Recv for rank 0 (a ring of 100 ranks)"),
        std::string::npos);
}

TEST(WaitCycles, AnEndedRankIsNoRing) {
    auto job = receivers(2, [](int) { return 1; });
    job[1] = {.state = wait_table::state::gone};
    EXPECT_EQ(wait_cycles(job), "rank 0 waits in MPI_Recv for rank 1, which has ended.\n");
}

TEST(WaitCycles, InACollectiveThoseAreAwaitedThatHaveNotCome) {
    auto job = receivers(3, [](int) { return 0; });
    for (const std::size_t rank : {0U, 2U}) {
        job[rank].note = {};
        wait_note::write(job[rank].note.call, "MPI_Barrier");
        job[rank].note.add(wait_note::operation{world, -1, wait_note::nobody, 0, sort::collective});
        job[rank].note.add(comm_of(world, 3, "MPI_COMM_WORLD", 1));
    }
    EXPECT_EQ(awaited_by(job, 0), std::vector{1});
    EXPECT_EQ(awaited_by(job, 2), std::vector{1});
    job[1].note.comms[0].collectives = 2;               // it is further on, as the root of a broadcast may be
    EXPECT_EQ(awaited_by(job, 0), (std::vector{1, 2})); // nobody is known to be missing
}

TEST(WaitRows, ManyRanksInLikeStateShareARow) {
    const auto ring = wait_rows(receivers(1000, [](int rank) { return (rank + 1) % 1000; }));
    EXPECT_NE(ring.find("0-999  MPI_Recv  a message from rank r+1"), std::string::npos) << ring;
    EXPECT_EQ(std::count(ring.begin(), ring.end(), '\n'), 2);
    const auto star = wait_rows(receivers(1000, [](int) { return 5; }));
    EXPECT_NE(star.find("0-999  MPI_Recv  a message from rank 5"), std::string::npos) << star;
}

TEST(WaitRows, TheTableFitsAScreen) {
    const auto rows = wait_rows(receivers(1000, [](int rank) { return rank * rank % 997; }));
    EXPECT_LE(std::count(rows.begin(), rows.end(), '\n'), 26);
    EXPECT_NE(rows.find("more rows"), std::string::npos);
}

TEST(NearMisses, NameTheOneDifference) {
    auto job = receivers(2, [](int rank) { return 1 - rank; });
    job[0].note.add(wait_note::message{world, 4, 1, 8});
    job[1].note.add(wait_note::message{twin, 16, 0, 7});
    job[1].note.add(comm_of(twin, 2, "twin"));
    job[1].note.add(wait_note::message{twin, 16, 0, 9}); // too far off
    EXPECT_EQ(
        near_misses(job),
        "rank 0 waits for tag 7 from rank 1 on MPI_COMM_WORLD; it has a message of 4 bytes from rank 1 under "
        "tag 8 that it does not receive.\n"
        "rank 1 waits for tag 7 from rank 0 on MPI_COMM_WORLD; it has a message of 16 bytes from rank 0 on "
        "twin "
        "that it does not receive.\n");
}

TEST(RankList, JoinsNeighbours) {
    EXPECT_EQ(rank_list({0, 1, 2, 3, 7}), "0-3, 7");
    EXPECT_EQ(rank_list({4, 5}), "4, 5");
    EXPECT_EQ(rank_list({0, 2, 4, 6, 8, 10, 12}), "0, 2, 4, 6 and 3 more");
}

} // namespace
