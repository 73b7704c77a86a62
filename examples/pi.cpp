// SPDX-License-Identifier: Apache-2.0
// Integrates 4 / (1 + x^2) from 0 to 1 with the midpoint rule, the intervals dealt out like cards.
// Use: pi [intervals]
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <numbers>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    // Only rank 0 reads the argument: the others are told.
    long long intervals = rank == 0 && argc > 1 ? std::atoll(argv[1]) : 20'000'000;
    MPI_Bcast(&intervals, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);

    const double start = MPI_Wtime();
    const double width = 1.0 / static_cast<double>(intervals);
    double sum = 0;
    for (long long i = rank; i < intervals; i += size) {
        const double x = (static_cast<double>(i) + 0.5) * width;
        sum += 4.0 / (1.0 + x * x);
    }
    const double mine = sum * width;
    double pi = 0;
    MPI_Reduce(&mine, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

    if (rank == 0)
        std::cout << "pi is about " << std::fixed << std::setprecision(10) << pi << ", wrong by less than "
                  << std::scientific << std::setprecision(0)
                  << std::max(std::abs(pi - std::numbers::pi), 1e-12) << " (" << size << " ranks, "
                  << std::fixed << std::setprecision(3) << MPI_Wtime() - start << " s)\n";
    MPI_Finalize();
}
