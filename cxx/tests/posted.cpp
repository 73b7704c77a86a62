// SPDX-License-Identifier: Apache-2.0
// Non-blocking and persistent collectives on objects that are serialised, several under way at once; among
// neighbours, too.
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <lisle/topology.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using table = std::map<std::string, std::vector<int>>;

const lisle::communicator world = lisle::world();

/// Larger ones with higher ranks: up to what is announced rather than sent.
table table_of(int rank, int salt = 0) {
    return {{"rank", {rank, salt}},
            {"many", std::vector<int>(static_cast<std::size_t>(rank) * 20'000, rank)}};
}
const auto merge = [](const table &a, const table &b) {
    table all = a;
    for (const auto &[name, values] : b)
        all[name].insert(all[name].end(), values.begin(), values.end());
    return all;
};
/// The tables of the ranks from `first` on, merged in order.
table merged(int ranks, int salt = 0) {
    table all = table_of(0, salt);
    for (int i = 1; i < ranks; ++i)
        all = merge(all, table_of(i, salt));
    return all;
}
std::vector<table> tables(int ranks, int salt = 0) {
    std::vector<table> all;
    for (int i = 0; i < ranks; ++i)
        all.push_back(table_of(i, salt));
    return all;
}

void several_at_once() {
    const int size = world.size();
    const int rank = world.rank();
    const int step = std::max(1, (size - 1) / 2); // of many ranks the first, one in the middle and the last
    for (int root = 0; root < size; root += step) {
        table news = rank == root ? table_of(root, 1) : table{{"old", {1}}};
        const table mine = table_of(rank, root);
        auto broadcast = world.ibroadcast(lisle::borrow(news), {.root = root});
        auto gathered = world.igather(mine, {.root = root});
        auto everywhere = world.iallgather(table_of(rank));
        auto dealt = world.iscatter(rank == root ? tables(size, 2) : std::vector<table>{}, {.root = root});
        auto exchanged = world.ialltoallv(tables(size, rank));
        auto at_root = world.ireduce(mine, merge, {.root = root});
        auto sum = world.iallreduce(mine, merge);
        auto prefix = world.iscan(mine, merge);
        auto before = world.iexscan(mine, merge);
        // Waited for in another order than begun, with a collective of MPI's between.
        CHECK_EQ(world.allreduce(1, std::plus<>{}), size);
        CHECK(before.wait() == (rank == 0 ? table{} : merged(rank, root)));
        CHECK(prefix.wait() == merged(rank + 1, root));
        CHECK(sum.wait() == merged(size, root));
        CHECK(at_root.wait() == (rank == root ? merged(size, root) : mine));
        const std::vector<table> came = exchanged.wait();
        for (int i = 0; i < size; ++i)
            CHECK(came[static_cast<std::size_t>(i)] == table_of(rank, i));
        CHECK(dealt.wait() == table_of(rank, 2));
        CHECK(everywhere.wait() == tables(size));
        CHECK(gathered.wait() == (rank == root ? tables(size, root) : std::vector<table>{}));
        broadcast.wait();
        CHECK(news == table_of(root, 1));
    }
}

/// Each rank's part of all ranks' tables combined: one for each rank, and parts that differ in size.
void scattered() {
    const int size = world.size();
    const int rank = world.rank();
    const std::vector<table> wanted{merged(size)};
    const std::vector<table> mine(static_cast<std::size_t>(size), table_of(rank));
    auto under_way = world.ireduce_scatter(mine, merge);
    CHECK(world.reduce_scatter(mine, merge) == wanted);
    CHECK(under_way.wait() == wanted);
    std::vector<MPI_Count> counts(static_cast<std::size_t>(size), 0);
    counts.back() = 2; // all others get nothing
    const std::vector<table> two(2, table_of(rank, 4));
    const std::vector<table> last =
        rank == size - 1 ? std::vector<table>(2, merged(size, 4)) : std::vector<table>{};
    auto begun = world.ireduce_scatter(two, merge, {.counts = counts});
    CHECK(world.reduce_scatter(two, merge, {.counts = counts}) == last);
    CHECK(begun.wait() == last);
    // Prefixes, which wait for no more ranks than they must.
    CHECK(world.scan(table_of(rank), merge) == merged(rank + 1));
    CHECK(world.exscan(table_of(rank), merge, table{{"none", {}}}) ==
          (rank == 0 ? table{{"none", {}}} : merged(rank)));
    // What cannot be divided is refused before anything is sent.
    const auto failed = lisle::attempt(
        [&] { return world.reduce_scatter(std::vector<table>(3), merge, {.counts = counts}); });
    CHECK(!failed.has_value() && failed.error().error_class() == MPI_ERR_COUNT);
}

void mixed() {
    const int size = world.size();
    const int rank = world.rank();
    lisle::request_pool pool;
    std::vector<table> news(4);
    for (int i = 0; i < 4; ++i) {
        if (rank == i % size)
            news[static_cast<std::size_t>(i)] = table_of(1, i);
        pool.add(world.ibroadcast(lisle::borrow(news[static_cast<std::size_t>(i)]), {.root = i % size}));
    }
    while (!pool.test_all()) {
    }
    for (int i = 0; i < 4; ++i)
        CHECK(news[static_cast<std::size_t>(i)] == table_of(1, i));
    // The wrong number of objects is an error where it is made, and nothing has been sent.
    const auto alone = lisle::self();
    const auto failed = lisle::attempt([&] { return alone.iscatter(std::vector<table>(2)).wait(); });
    CHECK(!failed.has_value() && failed.error().error_class() == MPI_ERR_COUNT);
    // An exception of the callable's is that of the rank that asks for the result.
    auto thrown = world.iallreduce(table_of(rank), [](const table &, const table &) -> table { throw 7; });
    try {
        static_cast<void>(thrown.wait());
        CHECK_EQ(size, 1);
    } catch (int what) {
        CHECK_EQ(what, 7);
    }
}

void persistent() {
    const int size = world.size();
    const int rank = world.rank();
    table news;
    table mine;
    table dealt;
    table sum;
    table at_root;
    std::vector<table> all;
    std::vector<table> root_all;
    std::vector<table> tasks;
    std::vector<table> came;
    auto broadcast = world.broadcast_init(lisle::borrow(news));
    auto gather = world.gather_init(lisle::borrow(mine), lisle::borrow(root_all));
    auto allgather = world.allgather_init(lisle::borrow(mine), lisle::borrow(all));
    auto scatter = world.scatter_init(lisle::borrow(tasks), lisle::borrow(dealt));
    auto alltoall = world.alltoall_init(lisle::borrow(tasks), lisle::borrow(came));
    auto allreduce = world.allreduce_init(lisle::borrow(mine), lisle::borrow(sum), merge);
    auto reduce = world.reduce_init(lisle::borrow(mine), lisle::borrow(at_root), merge);
    for (int round = 0; round < 3; ++round) { // objects of other sizes in each
        news = rank == 0 ? table_of(round, 3) : table{};
        mine = table_of(rank, round);
        tasks = tables(size, round);
        lisle::start_all(broadcast, gather, allgather, scatter, alltoall, allreduce, reduce);
        reduce.wait();
        while (!allreduce.test()) {
        }
        broadcast.wait();
        gather.wait();
        allgather.wait();
        scatter.wait();
        alltoall.wait();
        CHECK(news == table_of(round, 3) && all == tables(size, round));
        CHECK(root_all == (rank == 0 ? tables(size, round) : std::vector<table>{}));
        CHECK(dealt == table_of(rank, round) && sum == merged(size, round));
        CHECK(came == std::vector<table>(static_cast<std::size_t>(size), table_of(rank, round)));
        CHECK(at_root == (rank == 0 ? merged(size, round) : mine));
    }
}

void among_neighbours() {
    const int size = world.size();
    const int rank = world.rank();
    const int up = (rank + 1) % size;
    const int down = (rank + size - 1) % size;
    const auto way = lisle::distributed_graph::create(world, {.sources = {down}, .destinations = {up}});
    CHECK(way.neighbor_allgather(table_of(rank)) == std::vector<table>{table_of(down)});
    auto exchange = way.ineighbor_alltoallv(std::vector<table>{table_of(rank, 5)});
    auto told = way.ineighbor_allgather(table_of(rank, 6));
    CHECK(told.wait() == std::vector<table>{table_of(down, 6)});
    CHECK(exchange.wait() == std::vector<table>{table_of(down, 5)});
}

} // namespace

int main() {
    const lisle::environment mpi;
    several_at_once();
    scattered();
    mixed();
    persistent();
    among_neighbours();
}
