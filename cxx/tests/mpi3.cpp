// SPDX-License-Identifier: Apache-2.0
// What the headers make of MPI 3.1 for themselves: counts that are no ints, as datatypes of so many elements
// or part by part; operations for many rounds; partitioned ones; exchanges with types of their own. Compiled
// as if an int could count to three.
#include <lisle/lisle.hpp>

#include <lisle/alltoallw.hpp>
#include <lisle/file.hpp>
#include <lisle/info.hpp>
#include <lisle/layout.hpp>
#include <lisle/topology.hpp>
#include <lisle/window.hpp>

#include <array>
#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

static_assert(LISLE_MPI_3_MOST == 3 && !lisle::has_extensions);

namespace {

using numbers = std::vector<int>;

struct padded {
    char letter;
    double value;
    friend bool operator==(const padded &, const padded &) = default;
};

/// `count` numbers from `first` on.
numbers from(int first, int count) {
    numbers all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), first);
    return all;
}

void messages(const lisle::communicator &world, int next, int previous) {
    for (int count : {0, 3, 4, 6, 7, 100}) {
        const numbers out = from(world.rank(), count);
        CHECK(world.sendrecv(out, {.dest = next, .source = previous}) == from(previous, count));
        auto sending = world.isend(lisle::borrow(out), next);
        const auto found = world.probe(previous);
        CHECK_EQ(found.count<int>(), static_cast<std::size_t>(count));
        CHECK(world.receive<numbers>(previous) == from(previous, count));
        sending.wait();
        numbers replaced = out;
        world.sendrecv(lisle::in_place(replaced), {.dest = next, .source = previous});
        CHECK(replaced == from(previous, count));
    }
    // Types with gaps: every object is where the last one ends.
    const std::vector<padded> out(10, {'a', 0.5 * world.rank()});
    CHECK(world.sendrecv(out, {.dest = next, .source = previous}) ==
          std::vector<padded>(10, {'a', 0.5 * previous}));
    // What does not fit says so.
    auto sending = world.isend(lisle::borrow(out), next);
    std::vector<padded> few(5);
    const auto cut = lisle::attempt([&] { world.receive_into(few, previous); });
    CHECK(!cut.has_value() && cut.error().error_class() == MPI_ERR_TRUNCATE);
    sending.wait();
}

void collectives(const lisle::communicator &world, int size, int rank) {
    for (int count : {1, 3, 4, 11}) {
        numbers all;
        for (int i = 0; i < size; ++i)
            all.insert(all.end(), static_cast<std::size_t>(count), i);
        const numbers mine(static_cast<std::size_t>(count), rank);
        CHECK(world.allgather(mine) == all);
        CHECK(world.iallgather(numbers{mine}).wait() == all);
        CHECK(world.gather(mine) == (rank == 0 ? all : numbers{}));
        CHECK(world.allgatherv(mine).data == all);
        CHECK(world.allgatherv(mine, {.counts = numbers(static_cast<std::size_t>(size), count)}).data == all);
        CHECK(world.scatterv(all) == mine);
        const numbers same(all.size(), rank);
        CHECK(world.alltoall(same) == all);
        CHECK(world.ialltoall(numbers{same}).wait() == all);
        numbers told = rank == 0 ? all : numbers(all.size());
        world.broadcast(told);
        CHECK(told == all);
        std::vector<padded> objects(static_cast<std::size_t>(count), {'x', rank * 1.5});
        world.broadcast(objects, {.root = size - 1});
        CHECK(objects.back() == (padded{'x', (size - 1) * 1.5}));
        const numbers sums(static_cast<std::size_t>(count), size * (size - 1) / 2);
        CHECK(world.allreduce(mine, std::plus<>{}) == sums);
        CHECK(world.allreduce(mine, [](int a, int b) { return a + b; }) == sums);
        CHECK(world.iallreduce(numbers{mine}, std::plus<>{}).wait() == sums);
        CHECK(world.scan(mine, std::plus<>{}) == numbers(mine.size(), rank * (rank + 1) / 2));
        numbers replaced = mine;
        world.allreduce(lisle::in_place(replaced), std::plus<>{});
        CHECK(replaced == sums);
        CHECK(world.reduce_scatter(same, std::plus<>{}) == sums);
    }
}

void rounds(const lisle::communicator &world, int size, int rank, int next, int previous) {
    numbers value(5), all(5U * static_cast<std::size_t>(size)), sum(5), in(5);
    auto gathering = world.allgather_init(lisle::borrow(value), lisle::borrow(all));
    auto adding = world.allreduce_init(lisle::borrow(value), lisle::borrow(sum), std::plus<>{});
    auto telling = world.broadcast_init(lisle::borrow(in));
    auto meeting = world.barrier_init();
    auto sending = world.send_init(lisle::borrow(value), next);
    auto receiving = world.receive_init(lisle::borrow(in), previous);
    for (int round = 1; round <= 3; ++round) {
        value.assign(value.size(), rank * round);
        lisle::start_all(gathering, adding, meeting);
        gathering.wait();
        adding.wait();
        meeting.wait();
        CHECK(all.back() == (size - 1) * round && sum[4] == round * size * (size - 1) / 2);
        lisle::start_all(sending, receiving);
        receiving.wait();
        sending.wait();
        CHECK(in == numbers(5, previous * round));
        telling.start();
        while (!telling.test()) {
        }
        CHECK(in == numbers(5, (size - 1) * round));
    }
}

void parts(const lisle::communicator &world, int rank, int next, int previous) {
    numbers out(12), in(12);
    auto sending = world.partitioned_send_init(lisle::borrow(out), 4, next, 1);
    auto receiving = world.partitioned_receive_init(lisle::borrow(in), 3, previous, 1);
    for (int round = 0; round < 3; ++round) {
        lisle::start_all(receiving, sending);
        CHECK(!sending.test());
        std::thread helper{[&] {
            std::fill(out.begin(), out.begin() + 6, rank + round);
            sending.ready(0, 1);
        }};
        std::fill(out.begin() + 6, out.end(), -rank - round);
        sending.ready(3);
        sending.ready(2);
        const auto twice = lisle::attempt([&] { sending.ready(2); });
        CHECK(!twice.has_value() && twice.error().error_class() == MPI_ERR_ARG);
        sending.wait();
        helper.join();
        while (!receiving.arrived(2)) {
        }
        receiving.wait();
        CHECK(in.front() == previous + round && in.back() == -previous - round);
    }
}

void own_types(const lisle::communicator &world, int size, int rank) {
    std::vector<std::array<int, 5>> columns(static_cast<std::size_t>(size)), got = columns;
    lisle::buffer_list out, in;
    for (auto &column : columns)
        column.fill(rank);
    for (int i = 0; i < size; ++i) {
        out.add(columns[static_cast<std::size_t>(i)]);
        in.add(got[static_cast<std::size_t>(i)]);
    }
    lisle::alltoallw(world, out, in);
    for (int i = 0; i < size; ++i)
        CHECK_EQ(got[static_cast<std::size_t>(i)][4], i);
    const auto taken = lisle::ialltoallw(world, std::move(out), std::move(in)).wait();
    CHECK_EQ(taken.size(), static_cast<std::size_t>(size));
    const numbers matrix = from(0, 30);
    numbers block(6);
    world.sendrecv_into(lisle::strided{matrix.data(), {3, 2}, {10, 2}}, block,
                        {.dest = rank, .source = rank});
    CHECK(block == (numbers{0, 2, 10, 12, 20, 22}));
    const auto some = lisle::layout<int>::indexed({1, 4}).then(lisle::layout<int>::blocks({{20, 5}}));
    numbers seven(7);
    world.sendrecv_into(some.of(matrix), seven, {.dest = rank, .source = rank});
    CHECK(seven == (numbers{1, 4, 20, 21, 22, 23, 24}));
    world.sendrecv_into(lisle::layout<int>::indexed({2}).repeated(5, 3).of(matrix), std::span{seven}.first(5),
                        {.dest = rank, .source = rank}); // of a layout that is gone when it is sent
    CHECK(seven == (numbers{2, 5, 8, 11, 14, 23, 24}));
}

void memory_and_files(const lisle::communicator &world, int rank, int next, int previous) {
    const lisle::window<int> window{world, 8};
    const numbers out = from(rank, 8);
    {
        const auto epoch = window.fence();
        window.put(out, {next, 0});
    }
    const auto local = window.local();
    CHECK(numbers(local.begin(), local.end()) == from(previous, 8));
    const auto path = world.broadcast("/tmp/lisle_mpi3_" + std::to_string(MPI_Wtime()));
    {
        auto file = lisle::file<int>::create(world, path);
        file.write_all(static_cast<std::size_t>(rank) * 8, from(rank, 8));
        file.sync();
        world.barrier();
        CHECK(file.read_all(static_cast<std::size_t>(next) * 8, 8) == from(next, 8));
    }
    if (rank == 0)
        std::remove(path.c_str());
    const lisle::info hints{{"key", "some value"}};
    CHECK(hints.get("key") == "some value" && !hints.get("none").has_value());
}

} // namespace

int main() {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const int size = world.size(), rank = world.rank();
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    messages(world, next, previous);
    collectives(world, size, rank);
    rounds(world, size, rank, next, previous);
    parts(world, rank, next, previous);
    own_types(world, size, rank);
    memory_and_files(world, rank, next, previous);
}
