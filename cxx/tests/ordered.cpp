// SPDX-License-Identifier: Apache-2.0
// Reductions that do not commute give the serial result, in the order of ranks, for every number of ranks up
// to the program's own: texts are joined and matrices multiplied, in each of MPI's reductions. Registered
// once for each algorithm that the library can be told to use.
#include <lisle/lisle.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

using matrix = std::array<long, 4>;
matrix product(const matrix &a, const matrix &b) {
    return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
            a[2] * b[1] + a[3] * b[3]};
}
matrix matrix_of(int rank) {
    return {1, rank % 3, rank % 2, 1};
}

/// Text with a place of its own, so that MPI can reduce it; longer than the ranks there are.
struct text {
    std::array<char, 27> letters{};
    short length = 0;
    friend bool operator==(const text &, const text &) = default;
};
text joined(const text &a, const text &b) {
    text both = a;
    std::copy_n(b.letters.begin(), b.length, both.letters.begin() + a.length);
    both.length = static_cast<short>(a.length + b.length);
    return both;
}
text text_of(int rank) {
    text one;
    one.letters[0] = static_cast<char>('a' + rank);
    one.length = 1;
    return one;
}

/// The serial result of `function` over the ranks before `end`.
template <class T, class F> T serial(T (*of)(int), F function, int end) {
    T result = of(0);
    for (int i = 1; i < end; ++i)
        result = function(result, of(i));
    return result;
}

/// All reductions of MPI with one object of each rank, and with `many`.
template <class T, class F> void check_all(const lisle::communicator &comm, T (*of)(int), F function) {
    const int rank = comm.rank();
    const int size = comm.size();
    const T whole = serial(of, function, size);
    const T before = serial(of, function, rank + 1);
    const auto call = [function](const T &a, const T &b) { return function(a, b); };
    CHECK(comm.allreduce(of(rank), call) == whole);
    for (int root = 0; root < size; ++root) {
        const T got = comm.reduce(of(rank), call, {.root = root});
        if (rank == root)
            CHECK(got == whole);
    }
    CHECK(comm.scan(of(rank), call) == before);
    const T earlier = comm.exscan(of(rank), call);
    if (rank > 0)
        CHECK(earlier == serial(of, function, rank));
    for (const std::size_t count : {7, 2000}) {
        const std::vector<T> mine(count, of(rank));
        CHECK(comm.allreduce(mine, call) == std::vector<T>(count, whole));
        CHECK(comm.scan(mine, call) == std::vector<T>(count, before));
        const auto at_last = comm.reduce(mine, call, {.root = size - 1});
        if (rank == size - 1)
            CHECK(at_last == std::vector<T>(count, whole));
        const std::vector<T> parts(count * static_cast<std::size_t>(size), of(rank));
        if (count < 100)
            CHECK(comm.reduce_scatter(parts, call) == std::vector<T>(count, whole));
    }
}

/// Parts of different sizes: rank i gets i + 1 objects.
template <class T, class F> void check_shares(const lisle::communicator &comm, T (*of)(int), F function) {
    std::vector<MPI_Count> counts;
    for (int i = 0; i < comm.size(); ++i)
        counts.push_back(i + 1);
    const auto size = static_cast<std::size_t>(comm.size());
    const std::vector<T> mine(size * (size + 1) / 2, of(comm.rank()));
    CHECK(comm.reduce_scatter(mine, [function](const T &a, const T &b) { return function(a, b); },
                              {.counts = counts}) ==
          std::vector<T>(static_cast<std::size_t>(comm.rank()) + 1, serial(of, function, comm.size())));
}

} // namespace

int main() {
    const lisle::environment mpi;
    const auto world = lisle::world();
    for (int size = 1; size <= world.size(); ++size) {
        const auto part = world.split(world.rank() < size ? std::optional{0} : std::nullopt);
        if (!part)
            continue;
        check_all(part, &matrix_of, product);
        check_all(part, &text_of, joined);
        // Strings of any length are combined by the headers.
        std::string all;
        for (int i = 0; i < size; ++i)
            all += std::to_string(i) + std::string(static_cast<std::size_t>(i * 100), '.');
        const std::string mine =
            std::to_string(part.rank()) + std::string(static_cast<std::size_t>(part.rank() * 100), '.');
        CHECK_EQ(part.allreduce(mine, std::plus<>{}), all);
        const auto joined_up_to = [&all](int end) {
            return end == 0 ? std::string{"nothing"} : all.substr(0, all.find(std::to_string(end)));
        };
        CHECK_EQ(part.scan(mine, std::plus<>{}), joined_up_to(part.rank() + 1));
        CHECK_EQ(part.exscan(mine, std::plus<>{}, std::string{"nothing"}), joined_up_to(part.rank()));
        for (int root = 0; root < size; ++root) {
            const std::string at_root = part.reduce(mine, std::plus<>{}, {.root = root});
            if (part.rank() == root)
                CHECK_EQ(at_root, all);
        }
        check_shares(part, &matrix_of, product);
    }
}
