// SPDX-License-Identifier: Apache-2.0
// The two models of the example, coupled and in one loop.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <lisle/couple.hpp>

namespace coupled {

using grid = std::vector<double>; ///< n rows and columns of temperatures; edges are joined

constexpr int air_size = 64, water_size = 32, end = 200, water_period = 4;
constexpr double exchange = 0.02; ///< how fast air and water become alike, for each unit of time

inline std::size_t at(int n, int y, int x) {
    return static_cast<std::size_t>(((y + n) % n) * n + (x + n) % n);
}
inline double mean(const grid &all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

/// A warm patch in cold water; air of the same temperature everywhere.
inline grid first_water() {
    grid water(water_size * water_size);
    for (int y = 0; y < water_size; ++y) {
        for (int x = 0; x < water_size; ++x) {
            const double distance = std::hypot(y - 16.0, x - 10.0);
            water[at(water_size, y, x)] = 4 + 26 * std::exp(-distance * distance / 40);
        }
    }
    return water;
}
inline grid first_air() {
    return grid(air_size * air_size, 10.0);
}

/// Each grid on the other's points: four points of air are one of water.
inline grid to_water(const grid &air) {
    grid coarse(water_size * water_size);
    for (int y = 0; y < water_size; ++y) {
        for (int x = 0; x < water_size; ++x) {
            coarse[at(water_size, y, x)] =
                (air[at(air_size, 2 * y, 2 * x)] + air[at(air_size, 2 * y, 2 * x + 1)] +
                 air[at(air_size, 2 * y + 1, 2 * x)] + air[at(air_size, 2 * y + 1, 2 * x + 1)]) /
                4;
        }
    }
    return coarse;
}
inline grid to_air(const grid &water) {
    grid fine(air_size * air_size);
    for (int y = 0; y < air_size; ++y) {
        for (int x = 0; x < air_size; ++x) {
            fine[at(air_size, y, x)] = water[at(water_size, y / 2, x / 2)];
        }
    }
    return fine;
}

/// The wind blows to the right, stronger in the middle; the surface gives heat.
inline void step_air(grid &air, const grid &surface) {
    const grid old = air;
    for (int y = 0; y < air_size; ++y) {
        const double wind = 0.2 + 0.5 * std::sin(3.14159265358979 * y / air_size);
        for (int x = 0; x < air_size; ++x) {
            const double here = old[at(air_size, y, x)];
            air[at(air_size, y, x)] = here - wind * (here - old[at(air_size, y, x - 1)]) +
                                      exchange * (surface[at(air_size, y, x)] - here);
        }
    }
}
/// Heat spreads; the air takes or gives some.
inline void step_water(grid &water, const grid &above) {
    const grid old = water;
    for (int y = 0; y < water_size; ++y) {
        for (int x = 0; x < water_size; ++x) {
            const double here = old[at(water_size, y, x)];
            const double around = old[at(water_size, y - 1, x)] + old[at(water_size, y + 1, x)] +
                                  old[at(water_size, y, x - 1)] + old[at(water_size, y, x + 1)] - 4 * here;
            water[at(water_size, y, x)] =
                here + water_period * (0.05 * around + 0.3 * exchange * (above[at(water_size, y, x)] - here));
        }
    }
}

/// Rank 0 of two.
inline grid run_atmosphere(MPI_Comm comm) {
    namespace couple = lisle::couple;
    couple::model model{comm, {.name = "atmosphere", .period = 1, .connected = {"ocean"}}};
    grid air = first_air();
    model.post("temperature", couple::view<double>{air.data(), air_size, air_size});
    while (model.time() < end) {
        model.sync();
        // The ocean has values for every fourth time only: between them, the straight line.
        const auto surface = model.read<double>("ocean", "temperature");
        step_air(air, to_air(surface.values));
        model.advance();
        model.post("temperature", couple::view<double>{air.data(), air_size, air_size});
    }
    model.finish();
    return air;
}

/// Rank 1 of two.
inline grid run_ocean(MPI_Comm comm) {
    namespace couple = lisle::couple;
    couple::model model{comm, {.name = "ocean", .period = water_period, .connected = {"atmosphere"}}};
    grid water = first_water();
    model.post("temperature", couple::view<double>{water.data(), water_size, water_size});
    while (model.time() < end) {
        model.sync();
        const auto above = model.read<double>("atmosphere", "temperature");
        step_water(water, to_water(above.values));
        model.advance();
        model.post("temperature", couple::view<double>{water.data(), water_size, water_size});
    }
    model.finish();
    return water;
}

/// Both in one loop, as one would write them without coupling.
inline void run_serial(grid &air, grid &water) {
    air = first_air();
    water = first_water();
    for (int time = 0; time < end; time += water_period) {
        const grid before = water;
        step_water(water, to_water(air));
        for (int inner = 0; inner < water_period; ++inner) {
            grid surface = before;
            for (std::size_t i = 0; i < surface.size(); ++i) {
                surface[i] += static_cast<double>(inner) / water_period * (water[i] - before[i]);
            }
            step_air(air, to_air(surface));
        }
    }
}

} // namespace coupled
