// SPDX-License-Identifier: Apache-2.0
// Which engine a context leads to, and when engines are made.
#include "protocol/tracks.hpp"

#include <array>
#include <gtest/gtest.h>
#include <thread>

#include "communicator/context.hpp"
#include "datatype/predefined.hpp"
#include "library/process.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/track.hpp"
#include "protocol/point_to_point.hpp"

using namespace lisle;
using namespace lisle::protocol;

namespace {

constexpr std::uint64_t on_track(int track) {
    return std::uint64_t{32} | static_cast<std::uint64_t>(track) << track_shift;
}

/// Ranks in one process, one after the other the calling thread's.
class tracks_test : public testing::Test {
  protected:
    explicit tracks_test(int ranks = 2)
        : process_{process::make_inside({.ranks_of_process = {ranks}})}, job_{process_->get_job()} {
        former_ = become(&process_->enter(0));
        process_->enter(1);
    }
    ~tracks_test() override {
        for (const int index : {0, 1}) {
            job_.leave(*job_.find(index));
        }
        become(former_);
    }
    [[nodiscard]] rank &rank_at(int index) { return *job_.find(index); }

    std::unique_ptr<process> process_;
    job &job_;
    rank *former_;
};

class many_ranks_test : public tracks_test {
  protected:
    many_ranks_test() : tracks_test{65} {}
};

} // namespace

TEST_F(tracks_test, has_one_engine_until_another_is_needed) {
    tracks &mine = rank_at(0).tracks();
    EXPECT_EQ(mine.find(0), &rank_at(0).engine());
    EXPECT_EQ(mine.find(1), nullptr);
    EXPECT_FALSE(mine.several());
    EXPECT_EQ(&engine_for(on_track(0)), mine.find(0));
    EXPECT_FALSE(mine.several());
    engine &second = engine_for(on_track(1));
    EXPECT_TRUE(mine.several());
    EXPECT_NE(&second, mine.find(0));
    EXPECT_EQ(&engine_for(on_track(1)), &second);
    EXPECT_EQ(rank_at(1).tracks().find(1), nullptr) << "each rank makes its own";
}

TEST_F(tracks_test, threads_that_need_an_engine_at_once_get_the_same) {
    std::array<engine *, 4> found{};
    std::vector<std::thread> threads;
    for (engine *&each : found) {
        threads.emplace_back([&each, this] {
            become(&rank_at(0));
            each = &engine_for(on_track(3));
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (const engine *each : found) {
        EXPECT_EQ(each, rank_at(0).tracks().find(3));
    }
}

TEST_F(tracks_test, spreads_communicators_only_for_threads_that_call_at_once) {
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(track_of(next_context()), 0);
    }
    rank_at(0).tracks().spread();
    std::array<int, fabric::most_tracks> times{};
    for (int i = 0; i < 8; ++i) {
        const std::uint64_t context = next_context();
        EXPECT_TRUE(plausible_context(context, 2, job_.context_part()));
        ++times[static_cast<std::size_t>(track_of(context))];
    }
    EXPECT_EQ(times, (std::array<int, fabric::most_tracks>{2, 2, 2, 2}));
    // All of a row, as the ranks of a communicator of threads have them, are on one track.
    const std::uint64_t first = next_contexts(5);
    EXPECT_EQ(track_of(first), track_of(first + 4 * contexts_per_communicator));
}

TEST_F(tracks_test, keeps_what_comes_before_the_engine_is_made) {
    const group_ref members = make_group({0, 1});
    const typed_buffer nothing{nullptr, 0, *find_datatype(MPI_BYTE)};
    int value = 17;
    const typed_buffer from{&value, 4, *find_datatype(MPI_BYTE)};
    send(from, make_channel(on_track(2), 0, *members), 1, 5);
    become(&rank_at(1));
    EXPECT_EQ(rank_at(1).tracks().find(2), nullptr);
    int got = 0;
    const channel here = make_channel(on_track(2), 1, *members);
    EXPECT_EQ(receive({&got, 4, *find_datatype(MPI_BYTE)}, here, 0, 5).bytes, 4);
    EXPECT_EQ(got, 17);
    EXPECT_TRUE(rank_at(1).tracks().drained());
}

TEST_F(tracks_test, messages_of_one_track_are_not_seen_by_another) {
    const group_ref members = make_group({0, 1});
    int value = 3;
    const typed_buffer word{&value, 4, *find_datatype(MPI_BYTE)};
    const channel first = make_channel(on_track(0), 0, *members);
    const channel third = make_channel(on_track(3), 0, *members);
    send(word, third, 0, 5);
    first.home->progress();
    outcome found;
    EXPECT_EQ(third.home->probe({third.context, 0, 5}, false, found), nullptr) << "nobody has looked there";
    first.home->waits().progress_elsewhere();
    EXPECT_NE(third.home->probe({third.context, 0, 5}, false, found), nullptr);
    EXPECT_EQ(first.home->receives().stored_bytes(), 0U);
    EXPECT_EQ(receive(word, third, 0, 5).bytes, 4);
}

TEST_F(many_ranks_test, crowds_do_without) {
    rank_at(0).tracks().spread();
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(track_of(next_context()), 0);
    }
    EXPECT_FALSE(
        plausible_context(next_context() | std::uint64_t{1} << track_shift, 65, job_.context_part()));
    EXPECT_ANY_THROW(static_cast<void>(engine_for(on_track(1))));
}
