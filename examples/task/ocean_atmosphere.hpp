// SPDX-License-Identifier: Apache-2.0
// The two models of the example: coupled, each on any number of ranks, and in one loop.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <lisle/communicator.hpp>
#include <lisle/couple/job.hpp>

namespace coupled {

namespace couple = lisle::couple;
using grid =
    std::vector<double>; ///< rows of temperatures, all of a grid or those of one rank; edges are joined

constexpr int air_size = 64, water_size = 32, end = 200, water_period = 4;
constexpr double exchange = 0.02; ///< how fast air and water become alike, for each unit of time

inline double mean(const grid &all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

/// The rows of a square grid that one rank has.
struct rows {
    int size, first, count; ///< size: points of the grid in each direction

    static rows all(int size) { return {size, 0, size}; }
    static rows of(int size, const lisle::communicator &ranks) {
        const int first = size * ranks.rank() / ranks.size();
        return {size, first, size * (ranks.rank() + 1) / ranks.size() - first};
    }
    [[nodiscard]] std::size_t at(int y, int x) const { // y: among the caller's
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(size) +
               static_cast<std::size_t>((x + size) % size);
    }
    [[nodiscard]] std::size_t points() const { return at(count, 0); }
    [[nodiscard]] couple::decomposition decomposition() const {
        return couple::decomposition::block(std::array<std::int64_t, 2>{size, size},
                                            std::array<std::int64_t, 2>{first, 0},
                                            std::array<std::int64_t, 2>{count, size});
    }
};

/// A warm patch in cold water; air of the same temperature everywhere.
inline grid first_water(const rows &mine) {
    grid water(mine.points());
    for (int y = 0; y < mine.count; ++y) {
        for (int x = 0; x < water_size; ++x) {
            const double distance = std::hypot(mine.first + y - 16.0, x - 10.0);
            water[mine.at(y, x)] = 4 + 26 * std::exp(-distance * distance / 40);
        }
    }
    return water;
}
inline grid first_air(const rows &mine) {
    return grid(mine.points(), 10.0);
}

/// Each grid on the other's points: four points of air are one of water.
inline std::vector<couple::weight> to_water(const rows &water) {
    std::vector<couple::weight> all;
    for (int y = 0; y < water.count; ++y) {
        for (int x = 0; x < water_size; ++x) {
            for (const int part : {0, 1, air_size, air_size + 1}) {
                all.push_back({static_cast<std::int64_t>(water.at(y, x)),
                               2 * (water.first + y) * air_size + 2 * x + part, 0.25});
            }
        }
    }
    return all;
}
inline std::vector<couple::weight> to_air(const rows &air) {
    std::vector<couple::weight> all;
    for (int y = 0; y < air.count; ++y) {
        for (int x = 0; x < air_size; ++x) {
            all.push_back(
                {static_cast<std::int64_t>(air.at(y, x)), (air.first + y) / 2 * water_size + x / 2, 1});
        }
    }
    return all;
}
inline grid regridded(const grid &from, const std::vector<couple::weight> &weights, std::size_t points) {
    grid made(points);
    for (const couple::weight &each : weights) {
        made[static_cast<std::size_t>(each.place)] +=
            each.factor * from[static_cast<std::size_t>(each.source)];
    }
    return made;
}

/// The wind blows to the right, stronger in the middle; the surface gives heat.
inline void step_air(grid &air, const grid &surface, const rows &mine) {
    const grid old = air;
    for (int y = 0; y < mine.count; ++y) {
        const double wind = 0.2 + 0.5 * std::sin(3.14159265358979 * (mine.first + y) / air_size);
        for (int x = 0; x < air_size; ++x) {
            const double here = old[mine.at(y, x)];
            air[mine.at(y, x)] =
                here - wind * (here - old[mine.at(y, x - 1)]) + exchange * (surface[mine.at(y, x)] - here);
        }
    }
}
/// Heat spreads; the air takes or gives some. @param before,after the rows beside the caller's
inline void step_water(grid &water, const grid &above, const rows &mine, const grid &before,
                       const grid &after) {
    const grid old = water;
    for (int y = 0; y < mine.count; ++y) {
        for (int x = 0; x < water_size; ++x) {
            const auto column = static_cast<std::size_t>(x);
            const double here = old[mine.at(y, x)];
            const double north = y == 0 ? before[column] : old[mine.at(y - 1, x)];
            const double south = y + 1 == mine.count ? after[column] : old[mine.at(y + 1, x)];
            const double around = north + south + old[mine.at(y, x - 1)] + old[mine.at(y, x + 1)] - 4 * here;
            water[mine.at(y, x)] =
                here + water_period * (0.05 * around + 0.3 * exchange * (above[mine.at(y, x)] - here));
        }
    }
}
inline grid row_of(const grid &all, const rows &mine, int y) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(mine.at(y, 0));
    return {first, first + mine.size};
}

/// Which model a rank computes, of two ranks at least: the first half of them is the atmosphere.
inline const char *model_of(const lisle::communicator &all) {
    return all.rank() < (all.size() + 1) / 2 ? "atmosphere" : "ocean";
}

/// The caller's rows of the air at the end. @pre the caller is a rank of "atmosphere"
inline grid run_atmosphere(couple::job &job) {
    couple::component &self = job["atmosphere"];
    const rows mine = rows::of(air_size, lisle::communicator{self.ranks()});
    grid air = first_air(mine), surface(mine.points());
    self.runs({.period = 1, .end = end});
    self.offers({.name = "temperature",
                 .place = couple::field_place::of(air.data()),
                 .points = mine.decomposition()});
    // The ocean has values for every fourth time only: between them, the straight line.
    self.wants({.name = "surface",
                .place = couple::field_place::of(surface.data()),
                .points = mine.decomposition(),
                .from = "ocean",
                .field = "temperature",
                .how = couple::over_time::linear,
                .weights = to_air(mine)});
    job.begin();
    while (!self.is_at_end()) {
        self.put();
        self.get();
        self.advance(); // the others have what they get of this time
        step_air(air, surface, mine);
    }
    return air;
}

/// The caller's rows of the water at the end. @pre the caller is a rank of "ocean"
inline grid run_ocean(couple::job &job) {
    couple::component &self = job["ocean"];
    const lisle::communicator ranks{self.ranks()};
    const rows mine = rows::of(water_size, ranks);
    grid water = first_water(mine), above(mine.points());
    // The step after the end, in which nothing happens: the atmosphere's last straight line ends there.
    self.runs({.period = water_period, .end = end + 1});
    self.offers({.name = "temperature",
                 .place = couple::field_place::of(water.data()),
                 .points = mine.decomposition()});
    self.wants({.name = "above",
                .place = couple::field_place::of(above.data()),
                .points = mine.decomposition(),
                .from = "atmosphere",
                .field = "temperature",
                .weights = to_water(mine)});
    job.begin();
    const int before = (ranks.rank() + ranks.size() - 1) % ranks.size(),
              after = (ranks.rank() + 1) % ranks.size();
    while (!self.is_at_end()) {
        self.put();
        self.get();
        const bool is_over = self.time() == end;
        self.advance();
        if (!is_over) {
            grid north(water_size), south(water_size);
            ranks.sendrecv_into(row_of(water, mine, mine.count - 1), north,
                                {.dest = after, .source = before});
            ranks.sendrecv_into(row_of(water, mine, 0), south, {.dest = before, .source = after});
            step_water(water, above, mine, north, south);
        }
    }
    return water;
}

/// Both in one loop, as one would write them without coupling.
inline void run_serial(grid &air, grid &water) {
    const rows of_air = rows::all(air_size), of_water = rows::all(water_size);
    air = first_air(of_air);
    water = first_water(of_water);
    for (int time = 0; time < end; time += water_period) {
        const grid before = water;
        step_water(water, regridded(air, to_water(of_water), of_water.points()), of_water,
                   row_of(water, of_water, water_size - 1), row_of(water, of_water, 0));
        for (int inner = 0; inner < water_period; ++inner) {
            grid surface = before;
            for (std::size_t i = 0; i < surface.size(); ++i) {
                surface[i] += static_cast<double>(inner) / water_period * (water[i] - before[i]);
            }
            step_air(air, regridded(surface, to_air(of_air), of_air.points()), of_air);
        }
    }
}

} // namespace coupled
