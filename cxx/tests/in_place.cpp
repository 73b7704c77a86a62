// SPDX-License-Identifier: Apache-2.0
// Collectives in place, with callables that have a state, blocking, non-blocking and persistent; ranges of
// which nobody knows how much the others have; the same among neighbours.
#include <lisle/coroutine.hpp>
#include <lisle/lisle.hpp>
#include <lisle/topology.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();

using numbers = std::vector<long>;

struct padded {
    char name;
    double value;
    friend bool operator==(const padded &, const padded &) = default;
};

/// What a rank has of each part: rank * 100 + part, `each` times.
numbers parts(int rank, int count, std::size_t each) {
    numbers all;
    for (int i = 0; i < count; ++i)
        all.insert(all.end(), each, rank * 100L + i);
    return all;
}
numbers part(int rank, int i, std::size_t each) {
    return numbers(each, rank * 100L + i);
}
/// A range as long as the rank's number, times `factor`.
numbers own_range(int rank, std::size_t factor) {
    return numbers(static_cast<std::size_t>(rank) * factor, rank);
}
std::vector<MPI_Count> counts_of(std::size_t factor) {
    std::vector<MPI_Count> counts;
    for (int i = 0; i < world.size(); ++i)
        counts.push_back(static_cast<MPI_Count>(i) * static_cast<MPI_Count>(factor));
    return counts;
}
numbers all_ranges(std::size_t factor) {
    numbers all;
    for (int i = 0; i < world.size(); ++i)
        all.insert(all.end(), static_cast<std::size_t>(i) * factor, i);
    return all;
}

void reductions_in_place() {
    const int size = world.size();
    const int rank = world.rank();
    const long total = size * (size - 1L) / 2;
    const auto plus = lisle::commutative([one = 1L](long a, long b) { return a + b + one - 1; });
    for (const std::size_t length : {1, 10, 5000}) {
        const numbers mine(length, rank);
        for (int root = 0; root < size; ++root) {
            numbers values = mine;
            world.reduce(lisle::in_place(values), plus, {.root = root});
            CHECK(values == (rank == root ? numbers(length, total) : mine));
            values = mine;
            world.ireduce(lisle::in_place(lisle::borrow(values)), std::plus<>{}, {.root = root}).wait();
            CHECK(values == (rank == root ? numbers(length, total) : mine));
        }
        numbers values = mine;
        world.scan(lisle::in_place(values), std::plus<>{});
        CHECK(values == numbers(length, rank * (rank + 1L) / 2));
        values = mine;
        world.exscan(lisle::in_place(values), std::plus<>{});
        CHECK(rank == 0 || values == numbers(length, rank * (rank - 1L) / 2));
        values = mine;
        numbers others = mine;
        numbers before = mine;
        auto sum = world.iallreduce(lisle::in_place(lisle::borrow(others)), std::plus<>{});
        auto prefix = world.iscan(lisle::in_place(lisle::borrow(values)), std::plus<>{});
        auto earlier = world.iexscan(lisle::in_place(lisle::borrow(before)), std::plus<>{});
        lisle::wait_all(sum, prefix, earlier);
        CHECK(others == numbers(length, total) && values == numbers(length, rank * (rank + 1L) / 2));
        CHECK(rank == 0 || before == numbers(length, rank * (rank - 1L) / 2));
        if constexpr (lisle::has_extensions) { // the state lives as long as the operation
            numbers stateful = mine;
            auto under_way = world.iallreduce(lisle::in_place(lisle::borrow(stateful)), plus);
            under_way.wait();
            CHECK(stateful == numbers(length, total));
        }
    }
    numbers shares = parts(rank, size, 3);
    const auto share = world.reduce_scatter(lisle::in_place(shares), std::plus<>{});
    CHECK(numbers(share.begin(), share.end()) == numbers(3, total * 100 + rank * long{size}));
    CHECK_EQ(share.data(), shares.data());
}

void movement_in_place() {
    const int size = world.size();
    const int rank = world.rank();
    const auto here = static_cast<std::size_t>(rank);
    for (const std::size_t each : {1, 1000}) {
        numbers joined;
        for (int i = 0; i < size; ++i)
            joined.insert(joined.end(), each, i);
        /// A range for all of which only the own part is there.
        const auto only_mine = [&] {
            numbers all(each * static_cast<std::size_t>(size), -1);
            std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(here * each), each, rank);
            return all;
        };
        numbers all = only_mine();
        world.allgather(lisle::in_place(all));
        CHECK(all == joined);
        all = only_mine();
        world.iallgather(lisle::in_place(lisle::borrow(all))).wait();
        CHECK(all == joined);
        for (int root = 0; root < size; ++root) {
            all = rank == root ? only_mine() : numbers(each, rank);
            world.gather(lisle::in_place(all), {.root = root});
            CHECK(all == (rank == root ? joined : numbers(each, rank)));
            all = rank == root ? only_mine() : numbers(each, rank);
            world.igather(lisle::in_place(lisle::borrow(all)), {.root = root}).wait();
            CHECK(all == (rank == root ? joined : numbers(each, rank)));
            all = rank == root ? joined : numbers(each, -1);
            world.scatter(lisle::in_place(all), {.root = root});
            CHECK(all == (rank == root ? joined : numbers(each, rank)));
            all = rank == root ? joined : numbers(each, -1);
            world.iscatter(lisle::in_place(lisle::borrow(all)), {.root = root}).wait();
            CHECK(all == (rank == root ? joined : numbers(each, rank)));
        }
        numbers exchanged;
        for (int i = 0; i < size; ++i) {
            const numbers from = part(i, rank, each);
            exchanged.insert(exchanged.end(), from.begin(), from.end());
        }
        all = parts(rank, size, each);
        world.alltoall(lisle::in_place(all));
        CHECK(all == exchanged);
        all = parts(rank, size, each);
        world.ialltoall(lisle::in_place(lisle::borrow(all))).wait();
        CHECK(all == exchanged);
    }
    const auto counts = counts_of(2);
    numbers all = all_ranges(2);
    const numbers expected = all;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != rank)
            all[i] = -1;
    const numbers mine_only = all;
    world.allgatherv(lisle::in_place(all), {.counts = counts});
    CHECK(all == expected);
    const int root = size - 1;
    all = rank == root ? mine_only : own_range(rank, 2);
    world.gatherv(lisle::in_place(all), {.root = root, .counts = counts});
    CHECK(rank != root || all == expected);
    all = rank == root ? expected : numbers(here * 2, -1);
    world.scatterv(lisle::in_place(all), {.root = root, .counts = counts});
    CHECK(all == (rank == root ? expected : own_range(rank, 2)));
    // As many go from i to j as from j to i.
    std::vector<MPI_Count> both_ways;
    numbers sent;
    numbers came;
    for (int other = 0; other < size; ++other) {
        const auto length = static_cast<std::size_t>(rank + other);
        both_ways.push_back(rank + other);
        sent.insert(sent.end(), length, rank);
        came.insert(came.end(), length, other);
    }
    world.alltoallv(lisle::in_place(sent), {.counts = both_ways});
    CHECK(sent == came);
    // What does not divide is an error before anything is sent.
    numbers odd(static_cast<std::size_t>(size) + 1);
    if (size > 1)
        CHECK(!lisle::attempt([&] { world.alltoall(lisle::in_place(odd)); }).has_value());
}

void unknown_sizes() {
    const int size = world.size();
    const int rank = world.rank();
    // Up to 15 numbers fit in one collective; a single long one makes all need two.
    for (const std::size_t factor : {0, 1, 3, 1000}) {
        const auto [data, counts] = world.allgatherv(own_range(rank, factor));
        CHECK(data == all_ranges(factor) && counts == counts_of(factor));
        const std::vector<padded> mine(static_cast<std::size_t>(rank) * factor,
                                       padded{'p', static_cast<double>(rank)});
        auto all = world.allgatherv(mine);
        for (int i = 0; i < size; ++i)
            for (const padded &each : all.block(i))
                CHECK(each == (padded{'p', static_cast<double>(i)}));
        CHECK(all.counts == counts_of(factor));
        // Several at once, waited for in another order.
        auto to_all = world.iallgatherv(own_range(rank, factor));
        auto to_root = world.igatherv(own_range(rank, factor), {.root = size - 1});
        const auto out = counts_of(factor);
        auto exchange = world.ialltoallv(all_ranges(factor), out);
        auto exchanged = exchange.wait();
        for (int i = 0; i < size; ++i)
            CHECK(numbers(exchanged.block(i).begin(), exchanged.block(i).end()) == own_range(rank, factor));
        const auto [at_root, root_counts] = to_root.wait();
        CHECK(at_root == (rank == size - 1 ? all_ranges(factor) : numbers{}));
        const auto [joined, joined_counts] = to_all.wait();
        CHECK(joined == all_ranges(factor) && joined_counts == counts_of(factor));
    }
    // The first one of a communicator waits for nobody either: rank 1 begins its own after it has heard.
    const auto fresh = world.dup();
    const bool ordered = lisle::has_extensions && size > 1;
    if (ordered && rank == 1)
        CHECK_EQ(fresh.receive<int>(0), 1);
    auto first = fresh.iallgatherv(own_range(rank, 1));
    if (ordered && rank == 0)
        fresh.send(1, 1);
    CHECK(first.wait().data == all_ranges(1));
}

void strings() {
    const int size = world.size();
    const int rank = world.rank();
    std::string expected;
    for (int i = 0; i < size; ++i)
        expected += std::to_string(i) + ",";
    const std::string mine = std::to_string(rank) + ",";
    auto sum = world.iallreduce(std::string{mine}, std::plus<>{});
    auto at_root = world.ireduce(std::string{mine}, std::plus<>{}, {.root = size - 1});
    auto prefix = world.iscan(std::string{mine}, std::plus<>{});
    auto before = world.iexscan(std::string{mine}, std::plus<>{});
    lisle::wait_all(before, prefix, at_root, sum);
    CHECK_EQ(sum.take(), expected);
    CHECK_EQ(at_root.take(), rank == size - 1 ? expected : mine);
    const std::string until = prefix.take();
    CHECK_EQ(until, expected.substr(0, until.size()));
    CHECK_EQ(until, before.take() + mine);
    // Found complete by looking, by waiting for any, by coroutines.
    auto looked_for = world.iallreduce(std::string{mine}, std::plus<>{});
    while (!looked_for.ready()) {
    }
    CHECK_EQ(looked_for.take(), expected);
    auto one = world.iallreduce(std::string{mine}, std::plus<>{});
    auto other = world.iallreduce(1, std::plus<>{});
    CHECK(lisle::wait_any(one, other).has_value() && lisle::wait_any(one, other).has_value());
    CHECK(!lisle::wait_any(one, other).has_value());
    CHECK(one.take() == expected && other.take() == size);
    const auto awaited = [](lisle::communicator comm, std::string text) -> lisle::task<std::string> {
        co_return co_await comm.iallreduce(std::move(text), std::plus<>{});
    };
    CHECK_EQ(lisle::run_task(awaited(world, mine)), expected);
    static_cast<void>(world.iallreduce(std::string{mine}, std::plus<>{})); // dropped: waits
}

void persistent() {
    const int size = world.size();
    const int rank = world.rank();
    numbers news(3);
    numbers mine(2);
    numbers all(static_cast<std::size_t>(2 * size));
    numbers dealt(2);
    numbers sum(2);
    numbers root_sum(2);
    numbers until(2);
    numbers both(2);
    numbers out(static_cast<std::size_t>(size));
    numbers in(static_cast<std::size_t>(size));
    std::string text;
    std::string joined;
    const long offset = 5;
    auto barrier = world.barrier_init();
    auto broadcast = world.broadcast_init(lisle::borrow(news), {.root = size - 1});
    auto gather = world.gather_init(lisle::borrow(mine), lisle::borrow(all));
    auto allgather = world.allgather_init(lisle::borrow(mine), lisle::borrow(all));
    auto scatter = world.scatter_init(lisle::borrow(all), lisle::borrow(dealt));
    auto alltoall = world.alltoall_init(lisle::borrow(out), lisle::borrow(in));
    auto reduce = world.reduce_init(lisle::borrow(mine), lisle::borrow(root_sum), std::plus<>{});
    auto scan = world.scan_init(lisle::borrow(mine), lisle::borrow(until), std::plus<>{});
    auto in_place = world.allreduce_init(lisle::in_place(lisle::borrow(both)), std::plus<>{});
    auto concatenate = world.allreduce_init(lisle::borrow(text), lisle::borrow(joined), std::plus<>{});
    for (long round = 0; round < 3; ++round) {
        news.assign(3, rank == size - 1 ? round : -1);
        mine.assign(2, rank + round);
        both = mine;
        for (int i = 0; i < size; ++i)
            out[static_cast<std::size_t>(i)] = rank * 10L + i + round;
        text = std::string(static_cast<std::size_t>(round), static_cast<char>('a' + rank));
        lisle::start_all(barrier, broadcast, allgather, alltoall, reduce, scan, in_place, concatenate);
        barrier.wait();
        broadcast.wait();
        allgather.wait();
        alltoall.wait();
        reduce.wait();
        scan.wait();
        in_place.wait();
        while (!concatenate.test()) {
        }
        const long total = size * (size - 1L) / 2 + size * round;
        CHECK(news == numbers(3, round));
        for (int i = 0; i < size; ++i) {
            CHECK_EQ(all[static_cast<std::size_t>(2 * i)], i + round);
            CHECK_EQ(in[static_cast<std::size_t>(i)], i * 10L + rank + round);
        }
        CHECK(both == numbers(2, total) && (rank != 0 || root_sum == numbers(2, total)));
        CHECK(until == numbers(2, rank * (rank + 1L) / 2 + (rank + 1) * round));
        std::string expected;
        for (int i = 0; i < size; ++i)
            expected += std::string(static_cast<std::size_t>(round), static_cast<char>('a' + i));
        CHECK_EQ(joined, expected);
        gather.start();
        gather.wait();
        scatter.start();
        scatter.wait();
        CHECK(dealt == mine);
    }
    if constexpr (lisle::has_extensions) { // a state of its own
        auto stateful = world.allreduce_init(lisle::borrow(mine), lisle::borrow(sum),
                                             [offset](long a, long b) { return a + b + offset; });
        for (int round = 0; round < 2; ++round) {
            stateful.start();
            stateful.wait();
            CHECK_EQ(sum[0], size * (size - 1L) / 2 + 2 * size + offset * (size - 1));
        }
    }
}

void among_neighbours() {
    const int size = world.size();
    const int rank = world.rank();
    const auto grid = lisle::cartesian::create(world, std::vector{size}, {.periodic = true});
    const int here = grid.rank();
    const int up = (here + 1) % size;
    const int down = (here + size - 1) % size;
    auto told = grid.ineighbor_allgather(here);
    auto given = grid.ineighbor_alltoall(numbers{here * 2L, here * 2L + 1});
    auto lists = grid.ineighbor_alltoallv(std::vector<numbers>{own_range(here, 1), own_range(here, 2)});
    CHECK(lists.wait() == (std::vector<numbers>{own_range(down, 2), own_range(up, 1)}));
    CHECK(told.wait() == (std::vector<int>{down, up}));
    // Also where both neighbours are one rank, of whose two blocks MPI 3.1 does not say which is which.
    const bool defined = MPI_VERSION >= 4 || up != down;
    const auto blocks_given = given.wait();
    CHECK(!defined || blocks_given == (numbers{down * 2L + 1, up * 2L}));
    long mine = 0;
    numbers got(2);
    numbers out(2);
    numbers in(2);
    auto telling = grid.neighbor_allgather_init(lisle::borrow(mine), lisle::borrow(got));
    auto giving = grid.neighbor_alltoall_init(lisle::borrow(out), lisle::borrow(in));
    for (int round = 0; round < 2; ++round) {
        mine = here + round;
        out = {here * 2L + round, here * 2L + 1 + round};
        lisle::start_all(telling, giving);
        telling.wait();
        giving.wait();
        CHECK(got == (numbers{down + round, up + round}));
        CHECK(!defined || in == (numbers{down * 2L + 1 + round, up * 2L + round}));
    }
    // Beyond the edges there is nobody.
    const auto line = lisle::cartesian::create(world, std::vector{size});
    const auto from_both = line.neighbor_alltoallv(
        std::vector<std::string>{"down from " + std::to_string(rank), "up from " + std::to_string(rank)});
    CHECK_EQ(from_both.at(0), rank == 0 ? "" : "up from " + std::to_string(rank - 1));
    CHECK_EQ(from_both.at(1), rank == size - 1 ? "" : "down from " + std::to_string(rank + 1));
    // Two edges to one rank keep their order.
    const auto twice =
        lisle::distributed_graph::create(world, {.sources = {down, down}, .destinations = {up, up}});
    const auto texts = twice.neighbor_alltoallv(std::vector<std::string>{"first", "second"});
    CHECK(texts == (std::vector<std::string>{"first", "second"}));
    const auto failed = lisle::attempt([&] { return twice.neighbor_alltoallv(std::vector<numbers>(3)); });
    CHECK(!failed.has_value() && failed.error().error_class() == MPI_ERR_COUNT);
}

} // namespace

int main() {
    const lisle::environment mpi;
    reductions_in_place();
    movement_in_place();
    unknown_sizes();
    strings();
    persistent();
    among_neighbours();
}
