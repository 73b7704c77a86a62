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

    job = receivers(3, [](int rank) { return (rank + 1) % 3; });
    job[0].note.add(wait_note::message{world, 4, 2, 7});
    EXPECT_EQ(near_misses(job), "rank 0 waits for tag 7 from rank 1 on MPI_COMM_WORLD; it has a message of 4 "
                                "bytes from rank 2 that it does not receive.\n");
}

TEST(RankList, JoinsNeighbours) {
    EXPECT_EQ(rank_list({0, 1, 2, 3, 7}), "0-3, 7");
    EXPECT_EQ(rank_list({4, 5}), "4, 5");
    EXPECT_EQ(rank_list({0, 2, 4, 6, 8, 10, 12}), "0, 2, 4, 6 and 3 more");
}

TEST(WaitCycles, ARingInWhichEachNeedsTheNextComesBeforeOneOfRanksThatOthersMightHelp) {
    auto job = receivers(4, [](int rank) { return rank == 0 ? int{wait_note::anybody} : (rank % 3) + 1; });
    EXPECT_EQ(wait_cycles(job), "rank 1 waits in MPI_Recv for rank 2, rank 2 waits in MPI_Recv for rank 3, "
                                "rank 3 waits in MPI_Recv for rank 1.\n");
}

/// All but the last wait; it is at work.
template <class Awaited> job_waits all_but_one(int size, Awaited awaited) {
    auto job = receivers(size, awaited);
    for (rank_wait &each : job) {
        each.note.only_ranks = 1;
    }
    job.back() = {};
    return job;
}

TEST(StuckRanks, APairIsStuckWhateverAThirdRankDoes) {
    const auto job = all_but_one(3, [](int rank) { return rank ^ 1; });
    EXPECT_EQ(stuck_ranks(job, {0, 1}), (std::vector{0, 1}));
    EXPECT_TRUE(stuck_ranks(job, {0}).empty()); // rank 1 may be awake again
}

TEST(StuckRanks, WhoWaitsForOneThatIsStuckIsStuckToo) {
    const auto job = all_but_one(4, [](int rank) { return rank == 2 ? 0 : rank ^ 1; });
    EXPECT_EQ(stuck_ranks(job, {0, 1, 2}), (std::vector{0, 1, 2}));
}

TEST(StuckRanks, AChainThatEndsAtARankAtWorkIsNot) {
    const auto job = all_but_one(4, [](int rank) { return rank + 1; });
    EXPECT_TRUE(stuck_ranks(job, {0, 1, 2}).empty());
}

TEST(StuckRanks, WhoWaitsForAnEndedRankIsStuck) {
    auto job = all_but_one(3, [](int) { return 1; });
    job[1] = {.state = wait_table::state::gone};
    EXPECT_EQ(stuck_ranks(job, {0}), std::vector{0});
}

TEST(StuckRanks, AMessageOfAnyRankMayStillComeFromOneAtWork) {
    auto job = all_but_one(3, [](int rank) { return rank == 0 ? int{wait_note::anybody} : 0; });
    EXPECT_TRUE(stuck_ranks(job, {0, 1}).empty());
    job[0].note.comms[0].size = 2; // of ranks 0 and 1 alone
    EXPECT_EQ(stuck_ranks(job, {0, 1}), (std::vector{0, 1}));
    job[0].note.comms[0].has_remote_group = 1; // whose members the note does not have
    EXPECT_TRUE(stuck_ranks(job, {0, 1}).empty());
}

TEST(StuckRanks, OneOfSeveralRequestsIsEnoughForWaitany) {
    auto job = all_but_one(3, [](int rank) { return rank ^ 1; });
    job[0].note.add(wait_note::operation{world, 4, 2, 7, sort::receive});
    EXPECT_EQ(stuck_ranks(job, {0, 1}), (std::vector{0, 1})); // MPI_Waitall
    job[0].note.any = 1;
    EXPECT_TRUE(stuck_ranks(job, {0, 1}).empty());
}

TEST(StuckRanks, WhoMayBeWokenByAnythingElseIsNot) {
    for (const auto change :
         {+[](wait_note &note) { note.only_ranks = 0; }, +[](wait_note &note) { note.may_fail = 1; },
          +[](wait_note &note) { note.operations[0].what = sort::other; },
          +[](wait_note &note) { note.operation_count = 0; }}) {
        auto job = all_but_one(3, [](int rank) { return rank ^ 1; });
        change(job[0].note);
        EXPECT_TRUE(stuck_ranks(job, {0, 1}).empty());
    }
}

TEST(StuckRanks, ABarrierNeedsEachMemberAndABroadcastPerhapsOnlyItsRoot) {
    auto job = all_but_one(3, [](int) { return 0; });
    job[0].note = {};
    job[0].note.only_ranks = 1;
    job[0].note.add(wait_note::operation{world, -1, wait_note::nobody, 0, sort::collective});
    job[0].note.add(comm_of(world, 3, "MPI_COMM_WORLD", 1));
    wait_note::write(job[0].note.call, "MPI_Barrier");
    EXPECT_EQ(stuck_ranks(job, {0, 1}), (std::vector{0, 1}));
    wait_note::write(job[0].note.call, "MPI_Bcast");
    EXPECT_TRUE(stuck_ranks(job, {0, 1}).empty());
}

TEST(StuckRanks, TheReportNamesThemAndShowsAll) {
    const auto job = all_but_one(3, [](int rank) { return rank ^ 1; });
    const std::string report = stuck_report(job, {0, 1});
    EXPECT_NE(report.find("ranks 0, 1 can never go on, whatever the others do"), std::string::npos);
    EXPECT_NE(report.find("rank 0 waits in MPI_Recv for rank 1, rank 1 waits in MPI_Recv for rank 0."),
              std::string::npos);
    EXPECT_NE(report.find("nothing: it is at work"), std::string::npos);
}

} // namespace
