// SPDX-License-Identifier: Apache-2.0
// ../pi.cpp through the C++ interface: integrates 4 / (1 + x^2) from 0 to 1, the intervals dealt out like
// cards. Use: pi [intervals]
#include <lisle/lisle.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <numbers>

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const int rank = world.rank();
    const int size = world.size();

    // Only rank 0 reads the argument: the others are told.
    long long intervals = rank == 0 && argc > 1 ? std::atoll(argv[1]) : 20'000'000;
    world.broadcast(intervals);

    const double start = lisle::wall_time();
    const double width = 1.0 / static_cast<double>(intervals);
    double sum = 0;
    for (long long i = rank; i < intervals; i += size) {
        const double x = (static_cast<double>(i) + 0.5) * width;
        sum += 4.0 / (1.0 + x * x);
    }
    const double pi = world.reduce(sum * width, std::plus<>{});

    if (rank == 0)
        std::cout << "pi is about " << std::fixed << std::setprecision(10) << pi << ", wrong by less than "
                  << std::scientific << std::setprecision(0)
                  << std::max(std::abs(pi - std::numbers::pi), 1e-12) << " (" << size << " ranks, "
                  << std::fixed << std::setprecision(3) << lisle::wall_time() - start << " s)\n";
}
