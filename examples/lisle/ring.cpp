// SPDX-License-Identifier: Apache-2.0
// ../ring.c through the C++ interface: a token goes round all ranks; each one adds its own number to it.
// Use: ring [rounds]
#include <lisle/lisle.hpp>

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const int rank = world.rank();
    const int size = world.size();
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    long long token = 0;

    const double start = lisle::wall_time();
    for (int round = 0; round < rounds; ++round) {
        if (size == 1) {
            world.sendrecv(lisle::in_place(token), {.dest = next, .source = previous});
        } else if (rank == 0) {
            world.send(token, next);
            token = world.receive<long long>(previous);
        } else {
            token = world.receive<long long>(previous) + rank;
            world.send(token, next);
        }
    }
    const double seconds = lisle::wall_time() - start;

    const long long expected = static_cast<long long>(rounds) * size * (size - 1) / 2;
    const bool wrong = rank == 0 && token != expected;
    if (rank == 0)
        std::printf("%d ranks, %d rounds: token %lld, expected %lld: %s (%.2f us for each hop)\n", size,
                    rounds, token, expected, wrong ? "WRONG" : "right", seconds * 1e6 / rounds / size);
    return wrong ? 1 : 0;
}
