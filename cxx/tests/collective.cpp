// SPDX-License-Identifier: Apache-2.0
// Collectives through the C++ interface: values, ranges, sizes that differ (also empty ones, also at rank 0),
// every sort of operation, in place, non-blocking.
#include <lisle/lisle.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

struct point {
    char name;
    double x;
    friend bool operator==(const point &, const point &) = default;
};
struct boxed {
    double value;
    friend boxed operator+(const boxed &a, const boxed &b) { return {a.value + b.value}; }
};
using matrix = std::array<long, 4>;
matrix product(const matrix &a, const matrix &b) {
    return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
            a[2] * b[1] + a[3] * b[3]};
}
matrix matrix_of(int rank) {
    return {1, rank % 3, rank % 2, 1};
}

const lisle::communicator world = lisle::world();

void broadcasts() {
    const int size = world.size();
    for (int root = 0; root < size; ++root) {
        const bool here = world.rank() == root;
        int number = here ? 42 : 0;
        world.broadcast(number, {.root = root});
        CHECK_EQ(number, 42);
        point p = here ? point{'p', 2.5} : point{};
        world.broadcast(p, {.root = root});
        CHECK(p == (point{'p', 2.5}));
        for (const std::size_t length : {0, 1, 10, 100'000}) {
            std::vector<int> numbers(here ? length : 3, here ? 7 : 0);
            world.broadcast(lisle::resized(numbers), {.root = root});
            CHECK(numbers == std::vector<int>(length, 7));
            std::vector<point> points(here ? length : 0, p);
            world.broadcast(lisle::resized(points), {.root = root});
            CHECK(points == std::vector<point>(length, p));
        }
    }
}

void gathers() {
    const int size = world.size();
    const int rank = world.rank();
    for (int root = 0; root < size; ++root) {
        const std::vector<int> all = world.gather(rank * 2, {.root = root});
        CHECK_EQ(all.size(), rank == root ? static_cast<std::size_t>(size) : 0u);
        for (std::size_t i = 0; i < all.size(); ++i)
            CHECK_EQ(all[i], static_cast<int>(i) * 2);
        // Rank i has i objects: rank 0 none.
        const std::vector<point> mine(static_cast<std::size_t>(rank), point{'m', static_cast<double>(rank)});
        auto [data, counts] = world.gatherv(mine, {.root = root});
        CHECK_EQ(data.size(), rank == root ? static_cast<std::size_t>(size * (size - 1) / 2) : 0u);
        if (rank == root)
            for (int i = 0; i < size; ++i)
                CHECK_EQ(counts[static_cast<std::size_t>(i)], i);
        std::vector<int> dealt(rank == root ? static_cast<std::size_t>(3 * size + 1) : 0);
        std::iota(dealt.begin(), dealt.end(), 0);
        const std::vector<int> part = world.scatterv(dealt, {.root = root});
        CHECK_EQ(part.size(), rank == 0 ? 4u : 3u);
        CHECK_EQ(part.front(), rank == 0 ? 0 : 3 * rank + 1);
        std::vector<point> each;
        for (int i = 0; rank == root && i < size; ++i)
            each.push_back({'e', static_cast<double>(i)});
        CHECK(world.scatter(each, {.root = root}) == (point{'e', static_cast<double>(rank)}));
    }
    CHECK_EQ(world.allgather(std::array<int, 2>{rank, -rank}).back()[1], 1 - size);
    CHECK_EQ(world.allgather(std::vector<int>{rank, rank}).size(), static_cast<std::size_t>(2 * size));
    auto joined =
        world.allgatherv(std::string(static_cast<std::size_t>(rank + 1), static_cast<char>('a' + rank % 26)));
    CHECK_EQ(joined.block(size - 1).size(), static_cast<std::size_t>(size));
    CHECK_EQ(joined.block(size - 1).front(), static_cast<char>('a' + (size - 1) % 26));
}

void alltoalls() {
    const int size = world.size();
    const int rank = world.rank();
    std::vector<int> out(static_cast<std::size_t>(2 * size));
    for (int i = 0; i < size; ++i)
        out[static_cast<std::size_t>(2 * i)] = out[static_cast<std::size_t>(2 * i + 1)] = 100 * rank + i;
    const std::vector<int> got = world.alltoall(out);
    for (int i = 0; i < size; ++i)
        CHECK_EQ(got[static_cast<std::size_t>(2 * i)], 100 * i + rank);
    // (rank + i) % 3 objects from rank to i.
    std::vector<int> counts(static_cast<std::size_t>(size));
    std::vector<point> points;
    for (int i = 0; i < size; ++i) {
        counts[static_cast<std::size_t>(i)] = (rank + i) % 3;
        points.insert(points.end(), static_cast<std::size_t>((rank + i) % 3),
                      point{'v', static_cast<double>(100 * rank + i)});
    }
    auto received = world.alltoallv(points, counts);
    for (int i = 0; i < size; ++i) {
        CHECK_EQ(received.block(i).size(), static_cast<std::size_t>((rank + i) % 3));
        for (const point &p : received.block(i))
            CHECK_EQ(p.x, 100 * i + rank);
    }
    std::vector<std::vector<int>> lists(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        lists[static_cast<std::size_t>(i)].assign(static_cast<std::size_t>(i), rank);
    const auto from_all = world.alltoallv(lists);
    for (int i = 0; i < size; ++i)
        CHECK(from_all[static_cast<std::size_t>(i)] == std::vector<int>(static_cast<std::size_t>(rank), i));
}

void reductions() {
    const int size = world.size();
    const int rank = world.rank();
    const int sum = size * (size - 1) / 2;
    CHECK_EQ(world.allreduce(rank, std::plus<>{}), sum);
    CHECK_EQ(world.allreduce(rank, std::plus<int>{}), sum);
    CHECK_EQ(world.allreduce(rank, lisle::maximum{}), size - 1);
    CHECK_EQ(world.allreduce(rank, lisle::minimum{}), 0);
    CHECK_EQ(world.allreduce(static_cast<char>(rank), std::plus<>{}), static_cast<char>(sum));
    CHECK_EQ(world.allreduce(rank == 0, std::logical_or<>{}), true);
    CHECK_EQ(world.allreduce(1u << rank, std::bit_or<>{}), (1u << size) - 1);
    CHECK(world.allreduce(std::complex<double>(1, rank), std::plus<>{}) == std::complex<double>(size, sum));
    for (int root = 0; root < size; ++root) {
        const double total = world.reduce(0.5 * rank, std::plus<>{}, {.root = root});
        if (rank == root)
            CHECK_EQ(total, 0.5 * sum);
    }
    const std::vector<long> ones(1000, rank);
    CHECK(world.allreduce(ones, std::plus<>{}) == std::vector<long>(1000, sum));
    CHECK(world.allreduce(std::span{ones}, std::plus<>{}) == std::vector<long>(1000, sum));
    CHECK(world.allreduce(std::array<int, 3>{rank, 1, 2}, std::plus<>{}) ==
          (std::array<int, 3>{sum, size, 2 * size}));
    std::vector<double> in_place(10, rank);
    world.allreduce(lisle::in_place(in_place), std::plus<>{});
    CHECK_EQ(in_place[9], sum);
    // A class of one's own, with an operator and with lambdas.
    CHECK_EQ(world.allreduce(boxed{1.5}, std::plus<>{}).value, 1.5 * size);
    const auto farther = [](const point &a, const point &b) { return a.x < b.x ? b : a; };
    CHECK_EQ(world.allreduce(point{'r', static_cast<double>(rank)}, farther).x, size - 1);
    const std::vector<point> points(300, point{'s', static_cast<double>(rank)});
    CHECK_EQ(world.allreduce(points, farther).back().x, size - 1);
    // The order of ranks is kept: products of matrices do not commute.
    matrix serial = matrix_of(0);
    for (int i = 1; i < size; ++i)
        serial = product(serial, matrix_of(i));
    CHECK(world.allreduce(matrix_of(rank), &product) == serial);
    CHECK(world.allreduce(matrix_of(rank), [](const matrix &a, const matrix &b) { return product(a, b); }) ==
          serial);
    const auto many = world.allreduce(std::vector<matrix>(500, matrix_of(rank)),
                                      [](const matrix &a, const matrix &b) { return product(a, b); });
    CHECK(std::all_of(many.begin(), many.end(), [&](const matrix &m) { return m == serial; }));
    // Slices.
    const auto add = [](std::span<const long> a, std::span<long> b) {
        std::transform(a.begin(), a.end(), b.begin(), b.begin(), std::plus<>{});
    };
    CHECK(world.allreduce(ones, lisle::slices(add)) == std::vector<long>(1000, sum));
    CHECK_EQ(world.scan(rank, std::plus<>{}), rank * (rank + 1) / 2);
    CHECK_EQ(world.exscan(rank + 1, std::plus<>{}, 0), rank * (rank + 1) / 2);
    CHECK_EQ(world.scan(rank, [](int a, int b) { return std::max(a, b); }), rank);
    const auto scattered =
        world.reduce_scatter(std::vector<int>(static_cast<std::size_t>(2 * size), rank), std::plus<>{});
    CHECK(scattered == std::vector<int>(2, sum));
}

/// A lambda's state is that of this call, every time.
void captures() {
    const int size = world.size();
    for (int k = 0; k < 200; ++k) {
        const int got = world.allreduce(1, lisle::commutative([k](int a, int b) { return a + b + 100 * k; }));
        CHECK_EQ(got, size + 100 * k * (size - 1));
#if LISLE_USE_EXTENSIONS // without them non-blocking reductions refuse a state
        const std::vector<int> weights{k, 2 * k};
        auto later =
            world.iallreduce(std::vector<int>{1, 2}, [weights](int a, int b) { return a + b + weights[1]; });
        CHECK_EQ(later.wait()[1], 2 * size + 2 * k * (size - 1));
#endif
    }
}

void strings() {
    const int size = world.size();
    const int rank = world.rank();
    const auto text = [](int i) { return std::to_string(i) + (i % 2 == 0 ? "," : std::string(2000, '.')); };
    std::string serial;
    for (int i = 0; i < size; ++i)
        serial += text(i);
    CHECK_EQ(world.allreduce(text(rank), std::plus<>{}), serial);
    for (int root = 0; root < size; ++root) {
        const std::string got = world.reduce(text(rank), std::plus<>{}, {.root = root});
        if (rank == root)
            CHECK_EQ(got, serial);
    }
    std::string before;
    for (int i = 0; i <= rank; ++i)
        before += text(i);
    CHECK_EQ(world.scan(text(rank), std::plus<>{}), before);
}

void non_blocking() {
    const int size = world.size();
    const int rank = world.rank();
    auto barrier = world.ibarrier();
    auto all = world.iallgather(rank);
    auto sum = world.iallreduce(std::vector<double>(100, rank), std::plus<>{});
    auto at_root = world.igather(std::vector<int>{rank, rank}, {.root = size - 1});
    auto swapped = world.ialltoall(std::vector<int>(static_cast<std::size_t>(size), rank));
    std::vector<int> shared(10, rank == 0 ? 5 : 0);
    auto broadcast = world.ibroadcast(lisle::borrow(shared));
    auto prefix = world.iscan(1, std::plus<>{});
    lisle::wait_all(barrier, all, sum, at_root, swapped, broadcast, prefix);
    CHECK_EQ(all.take().back(), size - 1);
    CHECK_EQ(sum.take()[99], size * (size - 1) / 2);
    CHECK_EQ(at_root.take().size(), rank == size - 1 ? static_cast<std::size_t>(2 * size) : 0u);
    CHECK_EQ(swapped.take()[static_cast<std::size_t>(size - 1)], size - 1);
    CHECK_EQ(shared[9], 5);
    CHECK_EQ(prefix.take(), rank + 1);
}

/// Rank i has i objects, and sends (rank + i) % 3 to rank i; all know.
void non_blocking_of_sizes() {
    const int size = world.size();
    const int rank = world.rank();
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<int> tasks(rank == size - 1 ? ranks : 0);
    std::iota(tasks.begin(), tasks.end(), 100);
    std::vector<MPI_Count> counts(ranks);
    std::iota(counts.begin(), counts.end(), 0);
    const std::vector<point> mine(static_cast<std::size_t>(rank), point{'n', static_cast<double>(rank)});
    std::vector<MPI_Count> exchanged;
    std::vector<long> out;
    for (int i = 0; i < size; ++i) {
        exchanged.push_back((rank + i) % 3);
        out.insert(out.end(), static_cast<std::size_t>((rank + i) % 3), 100 * rank + i);
    }
    auto dealt = world.iscatter(std::move(tasks), {.root = size - 1});
    auto joined = world.iallgatherv(std::vector<point>(mine), {.counts = counts});
    auto at_root = world.igatherv(std::vector<point>(mine), {.root = 0, .counts = counts});
    auto swapped = world.ialltoallv(std::move(out), exchanged, {.counts = exchanged});
    auto before = world.iexscan(1, std::plus<>{});
    auto parts = world.ireduce_scatter(std::vector<int>(2 * ranks, rank), std::plus<>{});
    // The lists of counts may go: each operation has its own.
    const std::vector<MPI_Count> wanted = std::exchange(exchanged, {});
    counts.clear();
    lisle::wait_all(dealt, joined, at_root, swapped, before, parts);
    CHECK_EQ(dealt.take(), 100 + rank);
    auto all = joined.take();
    CHECK_EQ(all.data.size(), ranks * (ranks - 1) / 2);
    for (int i = 0; i < size; ++i)
        for (const point &p : all.block(i))
            CHECK_EQ(p.x, i);
    CHECK_EQ(at_root.take().data.size(), rank == 0 ? ranks * (ranks - 1) / 2 : 0);
    auto got = swapped.take();
    for (int i = 0; i < size; ++i)
        CHECK(std::ranges::equal(
            got.block(i), std::vector<long>(static_cast<std::size_t>(wanted[static_cast<std::size_t>(i)]),
                                            100 * i + rank)));
    const int earlier = before.take();
    if (rank > 0)
        CHECK_EQ(earlier, rank);
    CHECK(parts.take() == std::vector<int>(2, size * (size - 1) / 2));
}

/// Blocks of all lengths, whose counts come with the data or are known before: the same result.
void blocks_of_unknown_size() {
    const int size = world.size();
    const int rank = world.rank();
    for (const int scale : {1, 700})
        for (int root = 0; root < std::min(size, 2); ++root) {
            const auto length = [&](int i) { return i % 2 == root % 2 ? 0 : (i + 1) * scale; };
            const std::vector<long> mine(static_cast<std::size_t>(length(rank)), rank);
            std::vector<MPI_Count> counts;
            for (int i = 0; i < size; ++i)
                counts.push_back(length(i));
            auto unknown = world.gatherv(mine, {.root = root});
            const auto known = world.gatherv(mine, {.root = root, .counts = counts});
            CHECK(unknown.data == known.data);
            CHECK(unknown.counts == known.counts);
            CHECK_EQ(unknown.counts.size(), rank == root ? counts.size() : 0u);
            std::vector<long> out;
            std::vector<MPI_Count> back;
            for (int i = 0; i < size; ++i) {
                out.insert(out.end(), static_cast<std::size_t>(length(i)), rank * 100 + i);
                back.push_back(length(rank));
            }
            auto from_all = world.alltoallv(out, counts);
            const auto as_told = world.alltoallv(out, counts, {.counts = back});
            CHECK(from_all.data == as_told.data);
            CHECK(from_all.counts == as_told.counts);
        }
}

void communicators() {
    const int size = world.size();
    const int rank = world.rank();
    lisle::owned<lisle::communicator> half = world.split(rank % 2);
    CHECK_EQ(half.size(), (size + 1 - rank % 2) / 2);
    CHECK_EQ(half.allreduce(rank % 2, lisle::maximum{}), rank % 2);
    CHECK(!world.split(rank == 0 ? std::optional<int>{} : 1) == (rank == 0));
    const auto node = world.split_by(lisle::hardware::memory);
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    CHECK_MPI(MPI_Get_processor_name(name.data(), &length));
    const auto names = world.allgather(name);
    CHECK_EQ(node.size(), static_cast<int>(std::count(names.begin(), names.end(), name)));
    const auto all = world.group();
    const auto evens_list = [&] {
        std::vector<int> list;
        for (int i = 0; i < size; i += 2)
            list.push_back(i);
        return list;
    }();
    const auto evens = all.include(evens_list);
    CHECK((all - evens) == all.exclude(evens_list));
    CHECK((evens | (all - evens)).size() == size);
    CHECK((evens & (all - evens)).size() == 0);
    const auto of_evens = world.create(evens);
    CHECK_EQ(static_cast<bool>(of_evens), rank % 2 == 0);
    if (size > 1) {
        const auto other = half.connect(0, world, 1 - rank % 2);
        CHECK_EQ(other.remote_size(), size - half.size());
        if (half.rank() == 0)
            other.send(rank, 0);
        if (half.rank() == 0)
            CHECK_EQ(other.receive<int>(0), 1 - rank);
        CHECK_EQ(other.merge(rank % 2 == 1).size(), size);
    }
    lisle::owned<lisle::communicator> copy = world.dup();
    copy.name("copy");
    CHECK_EQ(copy.name(), "copy");
    CHECK_EQ(copy.allreduce(std::string{"x"}, std::plus<>{}),
             std::string(static_cast<std::size_t>(size), 'x'));
    CHECK(world.shares_memory(rank));
}

} // namespace

int main() {
    const lisle::environment mpi;
    broadcasts();
    gathers();
    alltoalls();
    reductions();
    captures();
    strings();
    non_blocking();
    non_blocking_of_sizes();
    blocks_of_unknown_size();
    communicators();
}
