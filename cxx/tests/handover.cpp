// SPDX-License-Identifier: Apache-2.0
// Vectors that change owner: the receiver gets the very memory if it shares it with the sender, a copy
// otherwise, and the sender's vector is empty in any case.
#include <lisle/handover.hpp>
#include <lisle/lisle.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"

int main() {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const int next = (world.rank() + 1) % world.size();
    const int previous = (world.rank() + world.size() - 1) % world.size();
    for (const std::size_t size : {0, 1, 100, 100'000, 3'000'000}) {
        std::vector<double> values(size);
        std::iota(values.begin(), values.end(), static_cast<double>(world.rank()));
        const auto address = reinterpret_cast<std::uintptr_t>(values.data());
        auto told = world.isend(address, next, 1);
        if (world.rank() == 0 || world.size() == 1)
            lisle::hand_over(world, std::move(values), next);
        const auto wanted = world.receive<std::uintptr_t>(previous, 1);
        // In turn round the ring, with a wildcard for every other one.
        std::vector<double> got = world.rank() % 2 == 0
                                      ? lisle::take_over<std::vector<double>>(world, previous)
                                      : lisle::take_over<std::vector<double>>(world, lisle::any_source);
        if (world.rank() != 0 && world.size() > 1)
            lisle::hand_over(world, std::move(values), next);
        told.wait();
        CHECK(values.empty());
        CHECK_EQ(got.size(), size);
        for (std::size_t i = 0; i < size; ++i)
            CHECK_EQ(got[i], static_cast<double>(previous) + static_cast<double>(i));
        if (lisle::has_extensions && world.shares_memory(previous) && size != 0)
            CHECK_EQ(reinterpret_cast<std::uintptr_t>(got.data()), wanted);
        got.push_back(1); // it is an ordinary vector: it may grow and is freed here
    }
    // Ten turns of one vector: nothing is copied, nothing leaks.
    std::vector<int> token(world.rank() == 0 ? 1000 : 0, 5);
    for (int turn = 0; turn < 10 && world.size() > 1; ++turn) {
        if (world.rank() == 0) {
            lisle::hand_over(world, std::move(token), next);
            token = lisle::take_over<std::vector<int>>(world, previous);
        } else {
            auto mine = lisle::take_over<std::vector<int>>(world, previous);
            ++mine.front();
            lisle::hand_over(world, std::move(mine), next);
        }
    }
    if (world.rank() == 0)
        CHECK_EQ(token.at(0), world.size() == 1 ? 5 : 5 + 10 * (world.size() - 1));
}
