// SPDX-License-Identifier: Apache-2.0
// Processes that meet through a launcher's store: here threads, and a store in memory.
#include "world/managed_bootstrap.hpp"

#include <barrier>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "mpi.h"

namespace {

using namespace lisle;

struct store {
    explicit store(int processes) : gate{processes} {}
    std::mutex mutex;
    std::map<std::pair<int, std::string>, std::vector<std::byte>> values;
    std::barrier<> gate;
    int finalized = 0;
    int aborted_with = 0;
};

class fake_manager final : public process_manager {
  public:
    fake_manager(store &shared, int process, int processes, std::vector<int> nodes)
        : shared_{shared}, process_{process}, processes_{processes}, nodes_{std::move(nodes)} {}
    [[nodiscard]] std::string name() const override { return "a test"; }
    [[nodiscard]] int process() const noexcept override { return process_; }
    [[nodiscard]] int processes() const noexcept override { return processes_; }
    [[nodiscard]] std::vector<int> nodes() override { return nodes_; }
    void put(std::string_view key, std::span<const std::byte> value) override {
        const std::scoped_lock guard{shared_.mutex};
        shared_.values[{process_, std::string{key}}] = {value.begin(), value.end()};
    }
    void fence() override { shared_.gate.arrive_and_wait(); }
    [[nodiscard]] std::vector<std::byte> get(int process, std::string_view key) override {
        const std::scoped_lock guard{shared_.mutex};
        const auto found = shared_.values.find({process, std::string{key}});
        if (found == shared_.values.end()) {
            fail(MPI_ERR_OTHER, "nothing there");
        }
        return found->second;
    }
    void abort(int code, const std::string &) noexcept override { shared_.aborted_with = code; }
    void finalize() noexcept override {
        const std::scoped_lock guard{shared_.mutex};
        ++shared_.finalized;
    }

  private:
    store &shared_;
    int process_;
    int processes_;
    std::vector<int> nodes_;
};

/// Runs `body` for each process, in a thread for each.
template <class Body> void run(store &shared, std::span<const process_share> shares,
                               const std::vector<int> &nodes, int pretended, const Body &body) {
    std::vector<std::thread> processes;
    const int count = static_cast<int>(shares.size());
    for (int process = 0; process != count; ++process) {
        processes.emplace_back([&, process] {
            managed_bootstrap start{std::make_unique<fake_manager>(shared, process, count, nodes),
                                    shares[static_cast<std::size_t>(process)], pretended};
            body(start);
        });
    }
    for (std::thread &each : processes) {
        each.join();
    }
}

constexpr process_share shares[] = {{2, 0}, {1, 0}, {4, 2}};

TEST(managed_bootstrap, tells_where_all_ranks_are) {
    store shared{3};
    run(shared, shares, {0, 1, 0}, 0, [](managed_bootstrap &start) {
        const locality &places = start.places();
        EXPECT_EQ(places.ranks(), 7);
        EXPECT_EQ(places.nodes(), 2);
        EXPECT_EQ(places.process_of(2), 1);
        EXPECT_EQ(places.node_of(2), 1);
        EXPECT_EQ(places.index_on_node(3), 2);
        EXPECT_EQ(places.worker_count(2), 2);
        EXPECT_EQ(start.pid_of(1) == 0, start.self().index != 1);
    });
}

TEST(managed_bootstrap, all_processes_agree_on_the_job) {
    store shared{3};
    std::mutex mutex;
    std::vector<job_id> ids;
    run(shared, shares, {0, 0, 0}, 0, [&](managed_bootstrap &start) {
        const std::scoped_lock guard{mutex};
        ids.push_back(start.self().job);
    });
    EXPECT_NE(static_cast<std::uint64_t>(ids[0]), 0U);
    EXPECT_EQ(ids[0], ids[1]);
    EXPECT_EQ(ids[0], ids[2]);
}

TEST(managed_bootstrap, a_launcher_that_tells_no_nodes_leaves_them_to_the_machines) {
    store shared{3};
    run(shared, shares, {}, 0, [](managed_bootstrap &start) { EXPECT_EQ(start.places().nodes(), 1); });
}

TEST(managed_bootstrap, processes_can_be_nodes_of_their_own) {
    store shared{3};
    run(shared, shares, {0, 0, 0}, -1,
        [](managed_bootstrap &start) { EXPECT_EQ(start.places().nodes(), 3); });
}

TEST(managed_bootstrap, the_launcher_hears_of_the_end_once_for_each_process) {
    store shared{3};
    run(shared, shares, {0, 0, 0}, 0, [](managed_bootstrap &start) {
        const int first = start.places().first_rank(start.self().index);
        const int count = start.places().rank_count(start.self().index);
        for (int rank = first; rank != first + count; ++rank) {
            start.report(rank, rank_progress::initialized);
            start.report(rank, rank_progress::finalized);
            start.report(rank, rank_progress::ended);
        }
    });
    EXPECT_EQ(shared.finalized, 3);
    EXPECT_EQ(shared.aborted_with, 0);
}

TEST(managed_bootstrap, a_rank_that_leaves_early_ends_the_job) {
    store shared{3};
    run(shared, shares, {0, 0, 0}, 0, [](managed_bootstrap &start) {
        if (start.self().index == 2) {
            start.report(4, rank_progress::left_early);
        }
    });
    EXPECT_EQ(shared.aborted_with, EXIT_FAILURE);
}

} // namespace
