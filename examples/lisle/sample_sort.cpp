// SPDX-License-Identifier: Apache-2.0
// Sorts numbers that no rank could hold alone: each rank sorts its own, a sample of all gives the bounds
// between ranks, and one exchange brings every number to its rank. What it prints is the same for any number
// of ranks. Use: sample_sort [numbers]
#include <lisle/lisle.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

using numbers = std::vector<std::uint64_t>;

/// A well mixed number, the same on every machine.
std::uint64_t mixed(std::uint64_t z) {
    z = (z + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// This rank's part of all numbers.
numbers make(std::uint64_t all, int rank, int size) {
    const auto begin_of = [&](int part) {
        return all * static_cast<std::uint64_t>(part) / static_cast<std::uint64_t>(size);
    };
    numbers mine;
    for (std::uint64_t i = begin_of(rank); i < begin_of(rank + 1); ++i)
        mine.push_back(mixed(i));
    return mine;
}

/// The first number of every rank but the first: from the samples of all ranks.
numbers bounds(const lisle::communicator &world, const numbers &sorted) {
    const std::size_t ranks = static_cast<std::size_t>(world.size());
    const std::size_t samples = std::min(sorted.size(), 16 * ranks);
    numbers sample;
    for (std::size_t i = 0; i < samples; ++i)
        sample.push_back(sorted[i * sorted.size() / samples]);
    numbers all = world.allgatherv(sample).data;
    std::sort(all.begin(), all.end());
    numbers first;
    for (std::size_t rank = 1; rank < ranks; ++rank)
        first.push_back(all.empty() ? 0 : all[rank * all.size() / ranks]);
    return first;
}

/// The numbers of all ranks in order: those of rank 0 first.
numbers sort(const lisle::communicator &world, numbers mine) {
    std::sort(mine.begin(), mine.end());
    std::vector<std::size_t> counts;
    auto begin = mine.begin();
    for (const std::uint64_t bound : bounds(world, mine)) {
        const auto end = std::lower_bound(begin, mine.end(), bound);
        counts.push_back(static_cast<std::size_t>(end - begin));
        begin = end;
    }
    counts.push_back(static_cast<std::size_t>(mine.end() - begin));
    numbers got = world.alltoallv(mine, counts).data;
    std::sort(got.begin(), got.end());
    return got;
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const std::uint64_t all = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
    const numbers mine = sort(world, make(all, world.rank(), world.size()));

    // The sum of each number times its place, which only the right order gives.
    std::uint64_t place = world.exscan(std::uint64_t{mine.size()}, std::plus<>{});
    if (world.rank() == 0)
        place = 0; // MPI leaves it open
    std::uint64_t sum = 0;
    for (const std::uint64_t number : mine)
        sum += number * ++place;
    sum = world.reduce(sum, std::plus<>{});
    // Ranks without numbers have no ends.
    const auto ends = world.gatherv(mine.empty() ? numbers{} : numbers{mine.front(), mine.back()});
    if (world.rank() == 0)
        std::cout << all << " numbers, " << (std::is_sorted(ends.data.begin(), ends.data.end()) ? "" : "not ")
                  << "sorted, checksum " << std::hex << sum << std::endl;
}
