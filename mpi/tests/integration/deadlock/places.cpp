// SPDX-License-Identifier: Apache-2.0
// A program of the C++ interface whose ranks wait for each other, with operations that nobody has waited for.
// places_test.py finds the lines by the words in their comments.
#include <lisle/lisle.hpp>

#include <vector>

int main() {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const int other = 1 - world.rank();
    const std::vector<double> values(100);
    auto news = world.ireceive<std::vector<int>>(other, 9);   // begins to receive
    auto sent = world.isend(lisle::borrow(values), other, 4); // begins to send
    auto met = world.ibarrier();                              // begins the barrier
    met.wait();
    const int never = world.receive<int>(other, 5); // waits
    return never;
}
