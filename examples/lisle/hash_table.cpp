// SPDX-License-Identifier: Apache-2.0
// ../hash_table.cpp through the C++ interface: a hash table that lies across all ranks, in a window. Whoever
// has a key claims its slot by compare_exchange, wherever that is, and counts it. No rank serves the others.
// Counts how often each sum of three dice comes. Use: hash_table [throws]
#include <lisle/lisle.hpp>
#include <lisle/window.hpp>

#include "../parts/dice.hpp"

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

/// Each rank has as many slots: a key, or 0, and how often it was counted.
using hash_table = lisle::window<std::int64_t>;

/// Counts a key, which is not 0. @pre the table has room
void count(const hash_table &table, int ranks, std::int64_t key) {
    const std::uint64_t slots = table.local().size() / 2;
    for (std::uint64_t at = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u;; ++at) {
        const std::uint64_t slot = at % (slots * static_cast<std::uint64_t>(ranks));
        const lisle::place of_key{static_cast<int>(slot / slots), slot % slots * 2};
        std::int64_t found = 0;
        if (table.compare_exchange(found, key, of_key) || found == key) {
            table.accumulate(1, {of_key.rank, of_key.index + 1});
            return;
        } // else another key has this slot
    }
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const long throws = argc > 1 ? std::atol(argv[1]) : 100'000;

    const hash_table table{world, 2 * 64};
    {
        auto epoch = table.lock_all();
        for (long number = world.rank(); number < throws; number += world.size())
            count(table, world.size(), thrown(static_cast<std::uint64_t>(number)));
    }
    world.barrier(); // all have counted what they had

    std::vector<std::int64_t> counts(19, 0); // sums of three dice are 3 to 18
    {
        auto epoch = table.lock_shared(world.rank());
        const auto own = table.local();
        for (std::size_t key = 0; key < own.size(); key += 2)
            if (own[key] != 0)
                counts[static_cast<std::size_t>(own[key])] += own[key + 1];
    }
    world.allreduce(lisle::in_place(counts), std::plus<>{});
    if (world.rank() == 0)
        print_sums(counts);
}
