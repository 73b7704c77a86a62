// SPDX-License-Identifier: Apache-2.0
// An ocean and an atmosphere, coupled: the ocean diffuses heat on a coarse grid with steps of 4, the
// atmosphere carries it with the wind on a grid twice as fine with steps of 1. Each reads the other's surface
// temperature at its own time. Several ranks: each half of them is one model. One rank: the same computation
// in one loop. All print the same.
//
//     ocean_atmosphere [picture.ppm]
//
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include <lisle/environment.hpp>

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
    const lisle::environment environment;
    const lisle::communicator world = lisle::world();
    coupled::grid air, water;
    if (world.size() == 1) {
        coupled::run_serial(air, water);
    } else {
        const std::string name = coupled::model_of(world);
        coupled::couple::job job{world.native(), {name}};
        coupled::grid mine = name == "ocean" ? coupled::run_ocean(job) : coupled::run_atmosphere(job);
        const coupled::grid none;
        air = world.gatherv(name == "ocean" ? none : mine).data;
        water = world.gatherv(name == "ocean" ? mine : none).data;
    }
    if (world.rank() == 0) {
        std::printf("heat of the atmosphere %.9f, of the ocean %.9f\n", coupled::mean(air),
                    coupled::mean(water));
        if (argc > 1) {
            draw(argv[1], air, water);
        }
    }
}
