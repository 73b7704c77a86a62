// SPDX-License-Identifier: Apache-2.0
// An ocean and an atmosphere, coupled: the ocean diffuses heat on a coarse grid with steps of 4, the
// atmosphere carries it with the wind on a grid twice as fine with steps of 1. Each reads the other's surface
// temperature at its own time. Two ranks: one model each. One rank: the same computation in one loop. Both
// print the same sums.
//
//     ocean_atmosphere [picture.ppm]
//
#include <cmath>
#include <cstdio>
#include <fstream>

#include "ocean_atmosphere.hpp"

namespace {

/// Blue to red, the atmosphere above the ocean.
void draw(const std::string &path, const coupled::grid &air, const coupled::grid &water) {
    std::ofstream file{path, std::ios::binary};
    const int n = coupled::air_size, scale = 4, line = n * scale;
    file << "P6\n" << line << ' ' << 2 * line + 8 << "\n255\n";
    const auto colour = [&](double heat) {
        const double share = std::fmin(1.0, std::fmax(0.0, (heat - 4) / 12));
        file.put(static_cast<char>(255 * share))
            .put(static_cast<char>(70 + 100 * (1 - std::fabs(2 * share - 1))))
            .put(static_cast<char>(255 * (1 - share)));
    };
    for (int y = 0; y < line; ++y) {
        for (int x = 0; x < line; ++x) {
            colour(air[static_cast<std::size_t>(y / scale * n + x / scale)]);
        }
    }
    for (int i = 0; i < 8 * line; ++i) {
        file.put(0).put(0).put(0);
    }
    for (int y = 0; y < line; ++y) {
        for (int x = 0; x < line; ++x) {
            colour(water[static_cast<std::size_t>(y / scale / 2 * (n / 2) + x / scale / 2)]);
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    coupled::grid air, water(coupled::water_size * coupled::water_size);
    if (ranks == 1) {
        coupled::run_serial(air, water);
    } else {
        MPI_Comm models; // further ranks have nothing to do
        MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : 1, rank, &models);
        if (rank == 0) {
            air = coupled::run_atmosphere(models);
            MPI_Recv(water.data(), static_cast<int>(water.size()), MPI_DOUBLE, 1, 0, models,
                     MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            water = coupled::run_ocean(models);
            MPI_Send(water.data(), static_cast<int>(water.size()), MPI_DOUBLE, 0, 0, models);
        }
        MPI_Comm_free(&models);
    }
    if (rank == 0) {
        std::printf("heat of the atmosphere %.9f, of the ocean %.9f\n", coupled::mean(air),
                    coupled::mean(water));
        if (argc > 1) {
            draw(argv[1], air, water);
        }
    }
    MPI_Finalize();
    return 0;
}
