// SPDX-License-Identifier: Apache-2.0
// Coroutines, attributes, topologies, ghost cells, layouts, timers, reproducible reductions; what temporaries
// and local classes are good for.
#include <lisle/attribute.hpp>
#include <lisle/coroutine.hpp>
#include <lisle/halo.hpp>
#include <lisle/layout.hpp>
#include <lisle/lisle.hpp>
#include <lisle/reproducible.hpp>
#include <lisle/timers.hpp>
#include <lisle/topology.hpp>
#include <lisle/two_messages.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();

lisle::task<int> add_up(lisle::communicator comm, int from, int to, int rounds) {
    int sum = 0;
    for (int i = 0; i < rounds; ++i) {
        auto receiving = comm.ireceive<int>(from, 1);
        co_await comm.isend(comm.rank() + i, to, 1);
        sum += co_await std::move(receiving);
    }
    co_return sum;
}

lisle::task<> talk(lisle::communicator comm, int other, int tag, int &done) {
    const auto size = static_cast<std::size_t>(tag * 100);
    auto sending = comm.isend(std::vector<int>(size, tag), other, tag);
    const std::vector<int> got = co_await comm.ireceive<std::vector<int>>(other, tag);
    CHECK(got == std::vector<int>(size, tag));
    CHECK((co_await std::move(sending)).size() == size);
    ++done;
}

lisle::task<> fails(lisle::communicator comm) {
    static_cast<void>(co_await comm.ireceive<int>(comm.size()));
}

void coroutines() {
    const int rank = world.rank();
    const int size = world.size();
    const int sum = lisle::run_task(add_up(world, (rank + size - 1) % size, (rank + 1) % size, 10));
    CHECK_EQ(sum, (rank + size - 1) % size * 10 + 45);
    // Many conversations at once, begun in opposite orders: none waits for another.
    lisle::scheduler scheduler;
    int done = 0;
    for (int i = 0; i < 20; ++i)
        for (int other = 0; other < size; ++other)
            scheduler.spawn(talk(world, other, 1 + (rank % 2 == 0 ? i : 19 - i), done));
    scheduler.run();
    CHECK_EQ(done, 20 * size);
    bool caught = false;
    try {
        lisle::run_task(fails(world));
    } catch (const lisle::error &e) {
        caught = e.error_class() == MPI_ERR_RANK;
    }
    CHECK(caught);
}

/// Tasks that give values to who spawned them.
void spawned_tasks() {
    const int rank = world.rank();
    const int size = world.size();
    lisle::scheduler scheduler;
    std::vector<lisle::spawned<int>> sums;
    for (int i = 0; i < 3; ++i)
        sums.push_back(scheduler.spawn(add_up(world, (rank + size - 1) % size, (rank + 1) % size, 1)));
    const auto missing = [](lisle::spawned<int> &value) {
        const auto got = lisle::attempt([&] { return value.get(); });
        return !got.has_value() && got.error().error_class() == MPI_ERR_REQUEST;
    };
    CHECK(missing(sums[0])); // it has not begun
    scheduler.run();
    for (lisle::spawned<int> &each : sums)
        CHECK_EQ(each.get(), (rank + size - 1) % size);
    CHECK(missing(sums[0])); // it was taken
}

/// A pool that gives the results of its futures.
void pools_give_values() {
    const int rank = world.rank();
    const int size = world.size();
    lisle::future_pool<std::string> answers;
    for (int other = 0; other < size; ++other)
        CHECK_EQ(answers.add(world.ireceive<std::string>(other, 3)), static_cast<std::size_t>(other));
    CHECK(!lisle::future_pool<int>{}.wait_any().has_value());
    std::vector<lisle::future<>> sent;
    for (int other = size - 1; other >= 0; --other)
        sent.push_back(world.isend(std::to_string(rank), other, 3));
    int sum = 0;
    while (answers.size() > 1) {
        const auto next = answers.wait_any();
        CHECK_EQ(next->value, std::to_string(next->number));
        sum += static_cast<int>(next->number);
    }
    auto last = answers.test_any();
    while (!last.has_value())
        last = answers.test_any();
    CHECK_EQ(sum + static_cast<int>(last->number), size * (size - 1) / 2);
    CHECK(answers.empty());
    for (int other = 0; other < size; ++other)
        answers.add(world.ireceive<std::string>(other, 4));
    for (int other = 0; other < size; ++other)
        sent.push_back(world.isend(std::string(static_cast<std::size_t>(rank), 'x'), other, 4));
    const std::vector<std::string> all = answers.wait_all();
    for (std::size_t i = 0; i < all.size(); ++i)
        CHECK_EQ(all[i].size(), i);
    CHECK(answers.empty());
}

/// Rounds of persistent operations, and collectives, awaited.
lisle::task<int> rounds(lisle::communicator comm, int from, int to) {
    int out = 0;
    int in = 0;
    lisle::persistent sending = comm.send_init(lisle::borrow(out), to, 8);
    lisle::persistent receiving = comm.receive_init(lisle::borrow(in), from, 8);
    int sum = 0;
    for (int round = 0; round < 5; ++round) {
        out = comm.rank() + round;
        lisle::start_all(receiving, sending);
        const lisle::status got = co_await receiving;
        CHECK_EQ(got.count<int>(), 1u);
        co_await sending;
        sum += in;
    }
    co_await comm.ibarrier();
    const std::vector<int> all = co_await comm.iallgather(sum);
    co_return co_await comm.iallreduce(all[static_cast<std::size_t>(comm.rank())], std::plus<>{});
}

void awaited_rounds() {
    const int rank = world.rank();
    const int size = world.size();
    const int total = lisle::run_task(rounds(world, (rank + size - 1) % size, (rank + 1) % size));
    CHECK_EQ(total, 5 * size * (size - 1) / 2 + 10 * size);
}

/// Sizes that only headers tell; wildcards; all senders at once.
void in_two_messages() {
    const int rank = world.rank();
    const int size = world.size();
    lisle::two_messages pair{world};
    for (int i = 1; i < size; ++i) {
        const int to = (rank + i) % size;
        pair.send(std::vector<int>(static_cast<std::size_t>(rank), rank), to);
        pair.send(rank + 0.5, to, 3);
    }
    int sum = rank;
    for (int i = 1; i < size; ++i) {
        const auto got = pair.receive<std::vector<int>>(lisle::any_source, 0);
        CHECK(got == std::vector<int>(got.size(), static_cast<int>(got.size())));
        sum += static_cast<int>(got.size());
    }
    CHECK_EQ(sum, size * (size - 1) / 2);
    for (int from = 0; from < size; ++from)
        if (from != rank)
            CHECK_EQ(pair.receive<double>(from, 3), from + 0.5);
}

void attributes() {
    const lisle::attribute<std::string> dropped;
    const lisle::attribute<std::string> shared{lisle::on_dup::share};
    const lisle::attribute<std::string> copied{lisle::on_dup::copy};
    auto first = world.dup();
    CHECK(shared.get(first) == nullptr);
    dropped.set(first, "dropped");
    shared.set(first, "shared");
    copied.set(first, "copied");
    auto second = first.dup();
    CHECK(dropped.get(second) == nullptr);
    CHECK(shared.get(second) == shared.get(first));
    CHECK(copied.get(second) != copied.get(first));
    CHECK_EQ(*copied.get(second), "copied");
    first.reset();
    CHECK_EQ(*shared.get(second), "shared");
    shared.erase(second);
    CHECK(shared.get(second) == nullptr);
}

void topologies() {
    const int rank = world.rank();
    const int size = world.size();
    const auto dimensions = lisle::balanced_dimensions(size, 2);
    const auto grid = lisle::cartesian::create(world, dimensions, {.periodic = true});
    CHECK_EQ(grid.rank_at(grid.coordinates(rank)), rank);
    const auto [from, to] = grid.shift(0);
    CHECK_EQ(grid.sendrecv(rank, {.dest = to, .source = from}), from);
    const std::vector<int> around = grid.neighbor_allgather(rank);
    CHECK_EQ(around.size(), 4u);
    CHECK_EQ(around[0], from);
    CHECK_EQ(around[1], to);
    const std::array<int, 2> keep{0, 1};
    CHECK_EQ(grid.sub(keep).size(), dimensions[1]);
    CHECK(grid.extents() == dimensions);
    CHECK(grid.periodic() == std::vector<bool>({true, true}));
}

/// A block of a grid of numbers, with `width` ghost cells on each side and one cell more at the end of each
/// row.
class block_of_grid {
  public:
    static constexpr int rows = 4, columns = 5;
    block_of_grid(const lisle::cartesian &grid, int width)
        : grid_{grid}, width_{width}, row_{columns + 2 * width + 1},
          cells_(static_cast<std::size_t>((rows + 2 * width) * row_), outside) {
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                at(i, j) = right(i, j);
    }
    [[nodiscard]] lisle::strided<int, 2> view() {
        return {cells_.data(), {rows + 2 * width_, columns + 2 * width_}, {row_, 1}};
    }
    void add(int number) {
        for (int &cell : cells_)
            cell += number;
        more_ += number;
    }
    /// Every cell, ghosts among them, is what its place says, and what belongs to nobody is as it was.
    void check() {
        for (int i = -width_; i < rows + width_; ++i)
            for (int j = -width_; j < columns + width_; ++j)
                CHECK_EQ(at(i, j), right(i, j) + more_);
        CHECK_EQ(at(0, columns + width_), outside + more_);
    }

  private:
    static constexpr int outside = -1;
    int &at(int i, int j) { return cells_[static_cast<std::size_t>((i + width_) * row_ + j + width_)]; }
    /// What a cell of this block is by its place in the whole.
    int right(int i, int j) const {
        const auto extents = grid_.extents(), place = grid_.coordinates(grid_.rank());
        const auto periodic = grid_.periodic();
        const int height = extents[0] * rows, breadth = extents[1] * columns;
        const int y = place[0] * rows + i, x = place[1] * columns + j;
        if ((!periodic[0] && (y < 0 || y >= height)) || (!periodic[1] && (x < 0 || x >= breadth)))
            return outside;
        return (y + height) % height * 100 + (x + breadth) % breadth;
    }

    const lisle::cartesian &grid_;
    int width_;
    int row_;
    int more_ = 0;
    std::vector<int> cells_;
};

void ghost_cells() {
    const auto dimensions = lisle::balanced_dimensions(world.size(), 2);
    for (const bool periodic : {true, false})
        for (const int width : {1, 2}) {
            const auto grid = lisle::cartesian::create(world, dimensions, {.periodic = periodic});
            block_of_grid block{grid, width};
            lisle::halo ghosts{grid, block.view(), static_cast<std::size_t>(width)};
            CHECK(ghosts.messages() == 16 || !periodic);
            for (int round = 0; round < 2; ++round) {
                ghosts.exchange();
                block.check();
                world.barrier();
                block.add(1000);
            }
            const auto wide = lisle::attempt([&] { const lisle::halo none{grid, block.view(), 3}; });
            CHECK(!wide.has_value() && wide.error().error_class() == MPI_ERR_ARG);
        }
    const auto line = lisle::cartesian::create(world, {world.size()}, {.periodic = true});
    std::array<double, 4> cells{0, 1. * world.rank(), 1.5 * world.rank(), 0};
    lisle::halo ghosts{line, lisle::strided{cells.data(), {4}, {1}}, 1};
    ghosts.start();
    ghosts.wait();
    const auto [previous, next] = line.shift(0);
    CHECK_EQ(cells[0], 1.5 * previous);
    CHECK_EQ(cells[3], 1. * next);
    const auto cube = lisle::cartesian::create(world, {1, world.size(), 1}, {.periodic = true});
    std::vector<short> cubes(27, static_cast<short>(world.rank()));
    lisle::halo around{cube, lisle::strided{cubes.data(), {3, 3, 3}, {9, 3, 1}}, 1};
    around.exchange();
    CHECK_EQ(around.messages(), 52U);
    for (int i = 0; i < 27; ++i) {
        const int from = i / 3 % 3 == 0 ? previous : i / 3 % 3 == 1 ? world.rank() : next;
        CHECK_EQ(cubes[static_cast<std::size_t>(i)], from);
    }
}

void temporaries_and_local_classes() {
    struct part {
        char kind;
        double values[2];
    };
    struct whole {
        part first;
        std::array<part, 2> others;
        int number;
    };
    const int last = world.size() - 1;
    const auto told = world.broadcast(whole{{'a', {1, 2}}, {}, world.rank()}, {.root = last});
    CHECK(told.number == last && told.first.values[1] == 2);
    CHECK_EQ(world.broadcast(world.rank() + 5), 5);
    CHECK_EQ(world.broadcast("from rank " + std::to_string(world.rank())), "from rank 0");
    const auto any_length = static_cast<std::size_t>(world.rank()) + 3;
    CHECK_EQ(world.broadcast(std::vector<int>(any_length)).size(), 3U);
    CHECK_EQ(world.gather(part{'b', {}}).size(), world.rank() == 0 ? static_cast<std::size_t>(last) + 1 : 0);
    const auto alone = lisle::cartesian::create(lisle::self(), {1, 1});
    CHECK(alone.rank_at({0, 0}) == 0 && alone.sub({0, 1}).size() == 1);
}

void rings() {
    const int rank = world.rank();
    const int size = world.size();
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    const auto ring =
        lisle::distributed_graph::create(world, {.sources = {previous}, .destinations = {next}});
    CHECK_EQ(ring.neighbours().sources.at(0), previous);
    CHECK_EQ(ring.neighbor_allgather(rank).at(0), previous);
    CHECK(ring.neighbor_alltoall(std::vector<int>{rank, 2 * rank}) ==
          (std::vector<int>{previous, 2 * previous}));
    const auto lists = ring.neighbor_alltoallv(
        std::vector<std::vector<int>>{std::vector<int>(static_cast<std::size_t>(rank), rank)});
    CHECK(lists.at(0) == std::vector<int>(static_cast<std::size_t>(previous), previous));
    std::vector<std::vector<int>> edges(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        edges[static_cast<std::size_t>(i)] = {(i + 1) % size, (i + size - 1) % size};
    const auto graph = lisle::graph::create(world, edges);
    CHECK(graph.neighbours_of(rank) == edges[static_cast<std::size_t>(rank)]);
}

/// The same numbers dealt out in many ways: the same bits, those of one rank's tree.
void reproducible() {
    const int rank = world.rank();
    const int size = world.size();
    for (const std::size_t count : {0, 1, 2, 7, 64, 1000}) {
        std::vector<double> all(count);
        for (std::size_t i = 0; i < count; ++i)
            all[i] = std::sin(static_cast<double>(i)) * std::pow(10, static_cast<double>(i % 20));
        const auto alone = lisle::reproducible_reduce(lisle::self(), all, std::plus<>{});
        CHECK_EQ(alone.has_value(), count != 0);
        for (std::size_t skew = 0; skew < 4; ++skew) {
            // Rank i gets the positions from cut(i) to cut(i + 1); with a skew, unequal ones and none.
            const auto cut = [&](int i) {
                const double part = std::pow(static_cast<double>(i) / size, static_cast<double>(1 + skew));
                return static_cast<std::size_t>(part * static_cast<double>(count));
            };
            const std::vector<double> mine(all.begin() + static_cast<std::ptrdiff_t>(cut(rank)),
                                           all.begin() + static_cast<std::ptrdiff_t>(cut(rank + 1)));
            const auto sum = lisle::reproducible_reduce(world, mine, std::plus<>{});
            CHECK_EQ(sum.has_value(), count != 0);
            if (sum)
                CHECK_EQ(std::bit_cast<long long>(*sum), std::bit_cast<long long>(*alone));
        }
        std::vector<int> order(static_cast<std::size_t>(rank % 3),
                               rank); // brackets may differ, the order not
        const auto last = lisle::reproducible_reduce(world, order, [](int, int b) { return b; });
        int expected = -1;
        for (int i = 0; i < size; ++i)
            expected = i % 3 != 0 ? i : expected;
        CHECK_EQ(last.value_or(-1), expected);
    }
}

void operations_of_c() {
    const int rank = world.rank();
    const int size = world.size();
    CHECK_EQ(world.allreduce(1, lisle::operation{MPI_SUM}), size);
    CHECK_EQ(world.allreduce(rank, lisle::operation{MPI_MAX}), size - 1);
    std::vector<double> values(100, 2.0);
    world.allreduce(lisle::in_place(values), lisle::operation{MPI_SUM});
    CHECK_EQ(values.back(), 2.0 * size);
    MPI_Op last = MPI_OP_NULL;
    MPI_Op_create([](void *, void *, int *, MPI_Datatype *) {}, 0, &last); // the second operand stays
    CHECK_EQ(world.scan(rank, lisle::operation{last}), rank);
    CHECK_EQ(world.allreduce(rank, lisle::operation{last}), size - 1);
    MPI_Op_free(&last);

    const auto [least, first] = world.allreduce(std::pair{1.5, rank}, lisle::minimum_location{});
    CHECK(least == 1.5 && first == 0);
    const auto [most, where] = world.allreduce(std::pair{rank / 2, rank}, lisle::maximum_location{});
    CHECK(most == (size - 1) / 2 && where == (size - 1) / 2 * 2);
}

void ranges_are_dealt_out() {
    const int rank = world.rank();
    const auto ranks = static_cast<std::size_t>(world.size());
    std::vector<std::string> names;
    std::vector<std::vector<int>> lists;
    if (rank == 0) {
        for (std::size_t i = 0; i < ranks; ++i) {
            names.push_back(std::string(i, 'x'));
            lists.emplace_back(2 * i, static_cast<int>(i));
        }
    }
    CHECK_EQ(world.scatter(names), std::string(static_cast<std::size_t>(rank), 'x'));
    CHECK(world.scatter(lists) == std::vector<int>(2 * static_cast<std::size_t>(rank), rank));
    // Counts may be integers of any type.
    const std::vector<int> narrow(ranks, 2);
    const std::vector<int> mine =
        world.scatterv(std::vector<int>(2 * ranks, 5), {.root = 0, .counts = narrow});
    CHECK(mine == std::vector<int>(2, 5));
    const auto all = world.allgatherv(mine, {.counts = std::vector<short>(ranks, short{2})});
    CHECK_EQ(all.data.size(), 2 * ranks);
    names.clear();
    bool thrown = false;
    try {
        static_cast<void>(world.scatter(names)); // too few at the root: all hear of it
    } catch (const lisle::error &failure) {
        thrown = failure.error_class() == MPI_ERR_COUNT;
    }
    CHECK(thrown);
}

void timers_of_all_ranks() {
    const int last = world.size() - 1;
    lisle::timers timers;
    for (int step = 0; step < 3; ++step) {
        const auto whole = timers.measure("step");
        if (world.rank() == last) {
            const auto part = timers.measure("only \"one\"");
            timers.count("bytes", 7);
        }
        const auto part = timers.measure("part");
        timers.count("bytes", 10. * (world.rank() + 1));
    }
    timers.count("bytes", 1);
    const auto open = timers.measure("never closed");
    const auto report = timers.gather(world, last);
    CHECK_EQ(report.all().size(), world.rank() == last ? 6U : 0U);
    if (world.rank() != last)
        return;
    using path = std::vector<std::string>;
    std::vector<path> paths;
    for (const lisle::measured &each : report.all())
        paths.push_back(each.path);
    const auto found = [&](const path &wanted) -> const lisle::measured & {
        const auto place = std::find(paths.begin(), paths.end(), wanted);
        CHECK(place != paths.end());
        return report.all()[static_cast<std::size_t>(place - paths.begin())];
    };
    CHECK(paths.front() == path{"step"} && paths.back() == path{"bytes"});
    const auto &bytes = found({"step", "part", "bytes"});
    CHECK(bytes.counter && bytes.ranks == world.size() && bytes.calls == 3LL * world.size());
    CHECK(bytes.least == 30 && bytes.most == 30. * world.size() && bytes.rank_of_most == last);
    CHECK_EQ(bytes.mean(), 15. * (world.size() + 1));
    const auto &one = found({"step", "only \"one\""});
    CHECK(!one.counter && one.ranks == 1 && one.calls == 3 && one.rank_of_most == last);
    CHECK(found({"step"}).sum >= found({"step", "part"}).sum);
    CHECK(
        report.json().find(
            R"({"path": ["step", "only \"one\"", "bytes"], "unit": null, "ranks": 1, "calls": 3, "min": 21)") !=
        std::string::npos);
    CHECK(report.table().find("\n    bytes  ") != std::string::npos);
}

lisle::exchange around() {
    const int size = world.size();
    return {.dest = (world.rank() + 1) % size, .source = (world.rank() + size - 1) % size};
}

void layouts() {
    const auto [next, previous, tag, any] = around();
    std::vector<double> field(40), ghosts(40, -1);
    std::iota(field.begin(), field.end(), 100. * world.rank());
    const double first = 100. * previous.value();
    using doubles = lisle::layout<double>;
    const auto edge = doubles::indexed({3, 17, 4});
    const auto rows = doubles::blocks({{20, 3}, {10, 2}, {0, 0}});
    const auto both = edge.then(rows);
    const auto twice = both.repeated(2, 5);
    CHECK(edge.size() == 3 && rows.size() == 5 && both.size() == 8 && twice.size() == 16);

    auto sending = world.isend(lisle::borrow(field), next, 1); // all, for comparison
    const auto all = world.receive<std::vector<double>>(previous, 1);
    sending.wait();
    // Elements arrive in the layout's order where the receiver takes them as they come...
    auto chosen = twice.of(field);
    auto going = world.isend(lisle::borrow(chosen), next);
    const auto came = world.receive<std::vector<double>>(previous);
    going.wait();
    const std::vector<std::size_t> order{3, 17, 4, 20, 21, 22, 10, 11, 8, 22, 9, 25, 26, 27, 15, 16};
    CHECK_EQ(came.size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        CHECK_EQ(came[i], first + static_cast<double>(order[i]));
    // ... and go to their places where it has the same layout: nothing else is touched.
    world.sendrecv_into(both.of(field), both.of(ghosts), {.dest = next, .source = previous});
    for (std::size_t i = 0; i < ghosts.size(); ++i)
        CHECK_EQ(ghosts[i],
                 std::find(order.begin(), order.begin() + 8, i) != order.begin() + 8 ? all[i] : -1.);
    // Of constant arrays, of structs with padding, of parts of an array.
    const std::vector<double> constant = field;
    static_assert(!lisle::writable_buffer<decltype(edge.of(constant))>);
    struct padded {
        char letter;
        double number;
    };
    std::vector<padded> from(9, {'a', 1. * world.rank()}), to(9, {'z', -1});
    const auto third = lisle::layout<padded>::indexed(std::vector{2}).repeated(3, 3);
    world.sendrecv_into(third.of(from), third.of(to), {.dest = next, .source = previous});
    CHECK(to[2].letter == 'a' && to[8].number == previous.value() && to[3].letter == 'z');
    static_cast<void>(doubles::indexed({0, 1}).of(std::span{field}.first(2)));
    const auto nothing = doubles::indexed({});
    CHECK_EQ(world.sendrecv_into(nothing.of(field), nothing.of(ghosts), {.dest = next, .source = previous})
                 .count<double>(),
             std::size_t{0});
    for (const auto &wrong : {doubles::indexed({40}), doubles::indexed({-1}), edge.repeated(3, 20)}) {
        bool refused = false;
        try {
            static_cast<void>(wrong.of(field));
        } catch (const lisle::error &e) {
            refused = e.error_class() == MPI_ERR_ARG;
        }
        CHECK(refused);
    }
}

void several_places() {
    const auto [next, previous, tag, any] = around();
    int step = world.rank();
    std::vector<double> field(5, world.rank() + 0.5);
    std::string name(3, static_cast<char>('a' + world.rank()));
    auto sending = world.isend(std::move(step), next, 9);
    int got_step = -1;
    std::vector<double> got_field(5);
    std::string got_name(3, ' ');
    world.sendrecv_into(lisle::together(step, field, name), lisle::together(got_step, got_field, got_name),
                        {.dest = next, .source = previous});
    CHECK(got_step == previous.value() && got_field == std::vector<double>(5, previous.value() + 0.5));
    CHECK_EQ(got_name, std::string(3, static_cast<char>('a' + previous.value())));
    static_cast<void>(world.receive<int>(previous, 9));

    struct body {
        std::vector<std::vector<float>> cells;
        std::unique_ptr<int> age;
        std::optional<double> mass, none;
        std::pair<int, std::array<std::string, 2>> more;
    };
    const auto made = [](int who) {
        body one;
        for (std::size_t i = 0; i < 5; ++i)
            one.cells.emplace_back(i, static_cast<float>(who));
        one.age = std::make_unique<int>(who);
        one.mass = who;
        one.more = {who, {std::string(4, static_cast<char>('a' + who)), std::string(1, 'x')}};
        return one;
    };
    const body mine = made(world.rank());
    body theirs = made(25);
    const float *const place = theirs.cells[4].data();
    const auto out = lisle::content(mine);
    const auto in = lisle::content(theirs);
    static_assert(!lisle::writable_buffer<decltype(out)> && lisle::writable_buffer<decltype(in)>);
    for (int round = 0; round < 3; ++round)
        world.sendrecv_into(out, in, {.dest = next, .source = previous});
    const body right = made(previous.value());
    CHECK(theirs.cells == right.cells && theirs.cells[4].data() == place && *theirs.age == *right.age);
    CHECK(theirs.mass == right.mass && !theirs.none && theirs.more == right.more);
}

} // namespace

int main() {
    const lisle::environment mpi;
    operations_of_c();
    ranges_are_dealt_out();
    coroutines();
    spawned_tasks();
    pools_give_values();
    awaited_rounds();
    in_two_messages();
    attributes();
    rings();
    topologies();
    ghost_cells();
    temporaries_and_local_classes();
    layouts();
    several_places();
    timers_of_all_ranks();
    reproducible();
}
