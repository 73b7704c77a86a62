// SPDX-License-Identifier: Apache-2.0
// Sixteen threads of each of two ranks send each other objects of sizes that nobody knows, all with one tag.
// None may be lost, met twice or filled with another's data. Then threads that reduce, each with a state of
// its own. Use: stress [messages of each rank]
#include <lisle/lisle.hpp>
#include <lisle/two_messages.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

constexpr int threads = 16;

/// The size and the content of message `number`: mostly short, some long enough for every protocol.
std::size_t size_of(std::uint32_t number) {
    const std::uint32_t hash = number * 2654435761u;
    return hash % 100 == 0 ? 2000 + hash % 30'000 : hash % 60;
}
std::vector<std::uint32_t> message(std::uint32_t number) {
    std::vector<std::uint32_t> values(1 + size_of(number), number * 7 + 1);
    values.front() = number;
    return values;
}

/// The same objects in MPI.NET's way: each header has to find its own data.
void in_two_messages(const lisle::communicator &world, std::uint32_t count) {
    lisle::two_messages pair{world};
    std::vector<std::atomic<int>> met(count);
    std::atomic<std::uint32_t> next_out{0};
    std::atomic<std::uint32_t> next_in{0};
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i)
        workers.emplace_back([&, i] {
            if (i % 2 == 0)
                for (std::uint32_t number = next_out++; number < count; number = next_out++)
                    pair.send(message(number), 1 - world.rank());
            while (i % 2 == 1 && next_in++ < count) {
                const auto got = pair.receive<std::vector<std::uint32_t>>(lisle::any_source);
                CHECK(!got.empty() && got.front() < count);
                CHECK(got == message(got.front()));
                CHECK_EQ(met[got.front()].fetch_add(1), 0);
            }
        });
    for (std::thread &worker : workers)
        worker.join();
    for (const std::atomic<int> &times : met)
        CHECK_EQ(times.load(), 1);
}

/// One type of callable with a state in several threads at once, each on a communicator of its own: every
/// call combines with its own state, also while an earlier one still has the operation.
/// @param overlapping with such calls, which without Lisle's extensions are refused
template <bool overlapping> void with_states(const lisle::communicator &world) {
    const auto shifted = [](int by) { return [by](int a, int b) { return a + b + by; }; };
    std::vector<lisle::owned<lisle::communicator>> own;
    for (int i = 0; i < 4; ++i)
        own.push_back(world.dup());
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; ++i)
        workers.emplace_back([&, i] {
            const lisle::communicator &comm = own[static_cast<std::size_t>(i)];
            for (int round = 0; round < 500; ++round) {
                const int by = 1000 * i + round;
                CHECK_EQ(comm.allreduce(round, shifted(by)), 2 * round + by);
                if constexpr (overlapping) {
                    auto early = comm.iallreduce(round, shifted(-by));
                    CHECK_EQ(comm.allreduce(round, shifted(by)), 2 * round + by);
                    CHECK_EQ(early.wait(), 2 * round - by);
                }
            }
        });
    for (std::thread &worker : workers)
        worker.join();
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    CHECK_EQ(world.size(), 2);
    const auto count = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 20'000);
    const int other = 1 - world.rank();
    std::vector<std::atomic<int>> met(count);
    std::atomic<std::uint32_t> next_out{0};
    std::atomic<std::uint32_t> next_in{0};

    // Half of the threads send, half receive; every other receive is a future, every other send, too.
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) {
        workers.emplace_back([&, i] {
            if (i % 2 == 0) {
                for (std::uint32_t number = next_out++; number < count; number = next_out++) {
                    if (number % 2 == 0)
                        world.send(message(number), other);
                    else
                        CHECK_EQ(world.isend(message(number), other).wait().front(), number);
                }
            } else {
                while (next_in++ < count) {
                    const auto got = i % 4 == 1 ? world.receive<std::vector<std::uint32_t>>(other)
                                                : world.ireceive<std::vector<std::uint32_t>>(other).wait();
                    CHECK(!got.empty() && got.front() < count);
                    CHECK(got == message(got.front()));
                    CHECK_EQ(met[got.front()].fetch_add(1), 0);
                }
            }
        });
    }
    for (std::thread &worker : workers)
        worker.join();
    for (const std::atomic<int> &times : met)
        CHECK_EQ(times.load(), 1);
    in_two_messages(world, std::min(count, 2000u));
    with_states<lisle::has_extensions>(world);
}
