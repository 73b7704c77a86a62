// SPDX-License-Identifier: Apache-2.0
// What processes exchange before they can send messages, and what the launcher hears of them: the processes
// of a job are threads of this test, each with a mapping of its own.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../error_code.hpp"
#include "mpi.h"
#include "world/launched_bootstrap.hpp"
#include "world/lone_bootstrap.hpp"

using namespace lisle;

namespace {

std::vector<std::byte> bytes_of(const std::string &text) {
    const auto *const first = reinterpret_cast<const std::byte *>(text.data());
    return {first, first + text.size()};
}

std::unique_ptr<bootstrap> attach(const job_table &table, int process) {
    return std::make_unique<launched_bootstrap>(job_table::attach(dup(table.descriptor())), process);
}

} // namespace

TEST(launched_bootstrap, tells_where_ranks_are) {
    const auto table = job_table::create({.ranks_of_process = {1, 4}, .workers_of_process = {0, 2}});
    const auto second = attach(table, 1);
    EXPECT_EQ(second->self(), (process_id{table.id(), 1}));
    EXPECT_EQ(second->places().ranks(), 5);
    EXPECT_EQ(second->places().worker_count(1), 2);
    EXPECT_TRUE(second->reports_ends());
    EXPECT_EQ(second->pid_of(1), getpid());
    EXPECT_EQ(second->pid_of(0), 0) << "it has not started";
}

TEST(launched_bootstrap, exchanges_what_was_put_before_a_fence) {
    constexpr int processes = 5, rounds = 200;
    const auto table = job_table::create({.ranks_of_process = std::vector<int>(processes, 1)});
    std::vector<std::thread> threads;
    for (int self = 0; self < processes; ++self) {
        threads.emplace_back([&table, self] {
            const auto mine = attach(table, self);
            for (int round = 0; round < rounds; ++round) {
                if (round % 50 == 0) {
                    mine->put("card " + std::to_string(round), bytes_of(std::to_string(self * 1000 + round)));
                }
                mine->fence();
                const int last = round / 50 * 50;
                for (int other = 0; other < processes; ++other) {
                    EXPECT_EQ(mine->get(other, "card " + std::to_string(last)),
                              bytes_of(std::to_string(other * 1000 + last)));
                }
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
}

TEST(launched_bootstrap, refuses_what_cannot_be) {
    const auto table = job_table::create({.ranks_of_process = {1, 1}});
    const auto first = attach(table, 0);
    first->put("empty", {});
    EXPECT_TRUE(first->get(0, "empty").empty());
    EXPECT_EQ(code_of([&] { first->put("empty", {}); }), MPI_ERR_ARG);
    const std::vector<std::byte> large(job_table::notice_bytes);
    EXPECT_EQ(code_of([&] { first->put("large", large); }), MPI_ERR_NO_MEM);
    EXPECT_EQ(code_of([&] { static_cast<void>(first->get(1, "empty")); }), MPI_ERR_OTHER);
    EXPECT_EQ(code_of([&] { static_cast<void>(first->get(2, "empty")); }), MPI_ERR_OTHER);
}

TEST(launched_bootstrap, does_not_follow_a_damaged_table) {
    const auto table = job_table::create({.ranks_of_process = {1, 1}});
    const auto first = attach(table, 0);
    const auto [used, room] = table.notices_of(1);
    std::fill(room.begin(), room.end(), std::byte{0xff});
    used.store(0xffffffff);
    EXPECT_EQ(code_of([&] { static_cast<void>(first->get(1, "card")); }), MPI_ERR_OTHER);
}

TEST(launched_bootstrap, lets_the_launcher_see_how_ranks_end) {
    const auto table = job_table::create({.ranks_of_process = {1, 3}});
    const auto second = attach(table, 1);
    second->report(2, rank_progress::initialized);
    EXPECT_EQ(table.progress(2), rank_progress::initialized);
    EXPECT_EQ(table.progress(1), rank_progress::absent);
    second->report_exit(3, 7);
    second->report(3, rank_progress::ended);
    EXPECT_EQ(table.exit_status(3), 7);
    EXPECT_FALSE(table.aborted());
    second->abort(2, 40, abort_cause::called);
    second->abort(1, 41, abort_cause::called);
    ASSERT_TRUE(table.aborted());
    EXPECT_EQ(table.aborted()->rank, 2);
    EXPECT_EQ(table.aborted()->code, 40);
    second->report_fault(1, 11, 0x1000);
    ASSERT_TRUE(table.fault());
    EXPECT_EQ(table.fault()->address, 0x1000U);
}

TEST(lone_bootstrap, exchanges_with_itself) {
    lone_bootstrap alone{{.ranks_of_process = {3}}};
    EXPECT_EQ(alone.places().ranks(), 3);
    EXPECT_FALSE(alone.reports_ends());
    EXPECT_EQ(alone.pid_of(0), getpid());
    alone.put("card", bytes_of("here"));
    alone.fence();
    EXPECT_EQ(alone.get(0, "card"), bytes_of("here"));
    EXPECT_EQ(code_of([&] { alone.put("card", {}); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] { static_cast<void>(alone.get(0, "other")); }), MPI_ERR_OTHER);
}

TEST(lone_bootstrap, names_each_job_anew) {
    const lone_bootstrap one{{.ranks_of_process = {1}}}, other{{.ranks_of_process = {1}}};
    EXPECT_NE(one.self(), other.self());
}

TEST(job_shape, must_be_sound) {
    EXPECT_EQ(code_of([] { lone_bootstrap{{.ranks_of_process = {1, 1}}}; }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([] { lone_bootstrap{{.ranks_of_process = {}}}; }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([] {
                  static_cast<void>(job_table::create({.ranks_of_process = {1, 0}}));
              }),
              MPI_ERR_ARG);
    EXPECT_EQ(
        code_of([] { static_cast<void>(job_table::create({.ranks_of_process = {most_ranks_of_job + 1}})); }),
        MPI_ERR_ARG);
}
