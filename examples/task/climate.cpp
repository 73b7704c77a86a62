// SPDX-License-Identifier: Apache-2.0
// Three coupled components on three grids of a sphere: an atmosphere that turns, an ocean between 60 degrees
// south and north, and ice at both poles. The atmosphere learns how warm the surface is and gives it heat.
// Energy goes from one grid to another, in steps of three lengths, and none is lost: the end shows how much
// there is, against the beginning.
//
//     mpirun -n 12 climate [STEPS]                   # half of the ranks are the ocean's, a third the
//                                                    # atmosphere's, the others the ice's
//     mpirun -n 12 climate 1000 save 480 PATH        # stops at a time that all three have: a multiple of 12
//     mpirun -n 12 climate 1000 draw climate.svg     # who gives what to whom, and how long each has waited
//     mpirun -n 7 climate 1000 load PATH             # goes on, on any number of ranks, to the same fields
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "lisle/communicator.hpp"
#include "lisle/couple/job.hpp"
#include "lisle/couple/overlap.hpp"
#include "lisle/environment.hpp"

namespace {

namespace couple = lisle::couple;
constexpr double pi = std::numbers::pi;

/// Latitudes and longitudes of one component, the whole of its grid; the caller has some of its rows.
struct sphere_grid {
    int rows, columns;
    double south, north;                 ///< of the rows, in degrees
    double gap_south = 0, gap_north = 0; ///< what is left out between them

    [[nodiscard]] double edge(int row) const { // the rows south of the gap, then those north of it
        const double all = (north - south) - (gap_north - gap_south), at = south + all * row / rows;
        return (gap_north > gap_south && at >= gap_south - 1e-9 && row * 2 > rows ? at + gap_north - gap_south
                                                                                  : at) *
               pi / 180;
    }
    [[nodiscard]] double begin_of(int row) const {
        return gap_north > gap_south && row * 2 == rows ? gap_north * pi / 180 : edge(row);
    }
    [[nodiscard]] double area(int row) const {
        return (std::sin(edge(row + 1)) - std::sin(begin_of(row))) * 2 * pi / columns;
    }
    [[nodiscard]] std::int64_t points() const { return std::int64_t{rows} * columns; }
};

constexpr sphere_grid air_grid{48, 96, -90, 90}, sea_grid{40, 72, -60, 60},
    ice_grid{20, 60, -90, 90, -60, 60};

/// The rows of one rank, and what it knows of their cells.
class part {
  public:
    part(const sphere_grid &of, const lisle::communicator &ranks)
        : grid_{of}, first_{of.rows * ranks.rank() / ranks.size()}, end_{of.rows * (ranks.rank() + 1) /
                                                                         ranks.size()} {
        for (int row = first_; row != end_; ++row)
            for (int column = 0; column != of.columns; ++column) {
                numbers_.push_back(std::int64_t{row} * of.columns + column);
                areas_.push_back(of.area(row));
            }
    }
    [[nodiscard]] std::size_t size() const { return numbers_.size(); }
    [[nodiscard]] int columns() const { return grid_.columns; }
    [[nodiscard]] couple::decomposition points() const {
        return couple::decomposition::list(grid_.points(), numbers_);
    }
    /// With their numbers in the grid, or with the caller's places.
    [[nodiscard]] couple::grid_cells cells(bool by_place) const {
        couple::grid_cells all;
        std::int64_t place = 0;
        for (int row = first_; row != end_; ++row)
            for (int column = 0; column != grid_.columns; ++column, ++place)
                all.add_spherical(by_place ? place : numbers_[static_cast<std::size_t>(place)],
                                  2 * pi * column / grid_.columns, 2 * pi * (column + 1) / grid_.columns,
                                  grid_.begin_of(row), grid_.edge(row + 1));
        return all;
    }
    /// The energy of a field of temperatures.
    [[nodiscard]] double energy(const std::vector<double> &temperature, double capacity) const {
        double sum = 0;
        for (std::size_t at = 0; at != size(); ++at)
            sum += areas_[at] * capacity * temperature[at];
        return sum;
    }
    /// A number that depends on each bit of a field, and not on which rank has it.
    [[nodiscard]] std::uint64_t fingerprint(const std::vector<double> &field) const {
        std::uint64_t all = 0;
        for (std::size_t at = 0; at != size(); ++at) {
            std::uint64_t one = std::bit_cast<std::uint64_t>(field[at]) ^
                                (static_cast<std::uint64_t>(numbers_[at]) + 1) * 0x9e3779b97f4a7c15U;
            for (const int shift : {33, 29, 32}) // so that each bit changes all
                one = (one ^ (one >> shift)) * 0xff51afd7ed558ccdU;
            all += one;
        }
        return all;
    }
    [[nodiscard]] double latitude(std::size_t at) const {
        const int row = first_ + static_cast<int>(at) / grid_.columns;
        return (grid_.begin_of(row) + grid_.edge(row + 1)) / 2;
    }

  private:
    const sphere_grid grid_;
    int first_, end_;
    std::vector<std::int64_t> numbers_;
    std::vector<double> areas_;
};

/// Weights from one component to another, made by all ranks; the cells of the caller's own are all that each
/// needs.
couple::conservative_weights weights(const lisle::communicator &world, const part *from, const part *to,
                                     couple::normalisation how) {
    const couple::grid_cells none;
    return couple::overlap_weights(world.native(), from != nullptr ? from->cells(false) : none,
                                   to != nullptr ? to->cells(true) : none, how, 2 * pi);
}

struct all_weights {
    couple::conservative_weights sea_to_air, ice_to_air, air_to_sea, air_to_ice;
    all_weights(const lisle::communicator &world, const part *air, const part *sea, const part *ice)
        : sea_to_air{weights(world, sea, air, couple::normalisation::covered_area)},
          ice_to_air{weights(world, ice, air, couple::normalisation::covered_area)},
          air_to_sea{weights(world, air, sea, couple::normalisation::whole_area)},
          air_to_ice{weights(world, air, ice, couple::normalisation::whole_area)} {}
};

couple::want wanted(const char *name, std::vector<double> &field, const part &mine, const char *from,
                    couple::over_time how, const couple::conservative_weights &by) {
    couple::want made{name, couple::field_place::of(field.data()), mine.points(), from};
    made.how = how;
    made.weights = by.weights;
    made.regrids = true;
    return made;
}

/// What the command line asks for.
struct plan {
    couple::ticks end = 1000, save_at = couple::end_of_time;
    std::string load, save, picture;
    plan(int argc, char **argv) {
        if (argc > 1)
            end = std::atoll(argv[1]);
        if (argc > 3 && argv[2] == std::string{"load"})
            load = argv[3];
        if (argc > 3 && argv[2] == std::string{"draw"})
            picture = argv[3];
        if (argc > 4 && argv[2] == std::string{"save"}) {
            save_at = std::atoll(argv[3]);
            save = argv[4];
        }
    }
};

/// What a component knows at its end, of the caller's part.
struct balance {
    double before = 0, after = 0;
    std::uint64_t fingerprint = 0;
};

/// The loop of a component: compute() is called when it has gone on to its next time.
template <class Compute>
void run(couple::job &job, couple::component &self, const plan &how, const Compute &compute) {
    if (!how.picture.empty())
        job.watch();
    job.begin();
    if (!how.load.empty())
        job.load(how.load);
    while (!self.is_at_end()) {
        self.put();
        self.get();
        if (self.time() == how.save_at) {
            job.save(how.save);
            return;
        }
        self.advance();
        compute();
    }
    if (!how.picture.empty())
        job.draw(how.picture);
}

balance run_air(couple::job &job, const part &mine, const all_weights &by, const plan &how) {
    constexpr double capacity = 1, exchange = 0.01;
    std::vector<double> temperature(mine.size()), heat(mine.size()), of_sea(mine.size()), of_ice(mine.size());
    for (std::size_t at = 0; at != mine.size(); ++at)
        temperature[at] = 30 * std::cos(mine.latitude(at));
    couple::component &air = job["air"];
    air.runs({1, 0, how.end});
    air.offers({"heat", couple::field_place::of(heat.data()), mine.points(), "J/m2"}); // of the step before
    air.wants(wanted("temperature", of_sea, mine, "sea", couple::over_time::latest, by.sea_to_air));
    air.wants([&] {
        auto made =
            wanted("temperature of ice", of_ice, mine, "ice", couple::over_time::latest, by.ice_to_air);
        made.field = "temperature";
        return made;
    }());
    air.keeps({"temperature", couple::field_place::of(temperature.data()), mine.points()});
    balance all{mine.energy(temperature, capacity), 0, 0};
    run(job, air, how, [&] {
        for (std::size_t at = 0; at != mine.size(); ++at) {
            const double sea = by.sea_to_air.covered[at], ice = by.ice_to_air.covered[at];
            const double surface = (sea * of_sea[at] + ice * of_ice[at]) / (sea + ice);
            heat[at] = exchange * (temperature[at] - surface);
            temperature[at] -= heat[at] / capacity;
        }
        for (std::size_t row = 0; row != mine.size();
             row += static_cast<std::size_t>(mine.columns())) { // it turns
            const auto begin = temperature.begin() + static_cast<std::ptrdiff_t>(row);
            std::rotate(begin, begin + 1, begin + mine.columns());
        }
    });
    all.after = mine.energy(temperature, capacity) + mine.energy(heat, 1); // the last heat has not left
    all.fingerprint = mine.fingerprint(temperature) + mine.fingerprint(heat);
    return all;
}

balance run_surface(couple::job &job, const char *name, const part &mine,
                    const couple::conservative_weights &by, double capacity, double warm,
                    const couple::steps &when, const plan &how) {
    std::vector<double> temperature(mine.size(), warm), heat(mine.size());
    couple::component &surface = job[name];
    surface.runs(when);
    surface.offers({"temperature", couple::field_place::of(temperature.data()), mine.points(), "K"});
    surface.wants(wanted("heat", heat, mine, "air", couple::over_time::sum, by));
    balance all{mine.energy(temperature, capacity), 0, 0};
    run(job, surface, how, [&] {
        for (std::size_t at = 0; at != mine.size(); ++at)
            temperature[at] += heat[at] / capacity;
    });
    all.after = mine.energy(temperature, capacity);
    all.fingerprint = mine.fingerprint(temperature);
    return all;
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment environment;
    const lisle::communicator world = lisle::world();
    const plan how{argc, argv};
    const int air_ranks = std::max(world.size() / 3, 1), ice_ranks = std::max(world.size() / 6, 1);
    if (world.size() < 3) {
        std::fprintf(stderr, "three components need three ranks at least: mpirun -n 12 %s\n", argv[0]);
        world.abort(2);
    }
    const std::string name = world.rank() < air_ranks               ? "air"
                             : world.rank() < air_ranks + ice_ranks ? "ice"
                                                                    : "sea";
    couple::job job{world.native(), {name}};
    const lisle::communicator ranks{job[name].ranks()};
    const part mine{name == "air" ? air_grid : name == "ice" ? ice_grid : sea_grid, ranks};
    const all_weights by{world, name == "air" ? &mine : nullptr, name == "sea" ? &mine : nullptr,
                         name == "ice" ? &mine : nullptr};

    // The surface goes on for a step after the air's end, so that all heat arrives.
    const couple::steps of_sea{4, 0, how.end + 5}, of_ice{6, 0, how.end + 7};
    const balance own = name == "air"   ? run_air(job, mine, by, how)
                        : name == "sea" ? run_surface(job, "sea", mine, by.air_to_sea, 20, 15, of_sea, how)
                                        : run_surface(job, "ice", mine, by.air_to_ice, 5, -10, of_ice, how);
    const double before = world.allreduce(own.before, std::plus<>{}),
                 after = world.allreduce(own.after, std::plus<>{});
    const std::uint64_t fingerprint = world.allreduce(own.fingerprint, std::plus<>{});
    double part_before = ranks.allreduce(own.before, std::plus<>{}),
           part_after = ranks.allreduce(own.after, std::plus<>{});
    if (ranks.rank() == 0)
        std::printf("%s: %d ranks, energy %.6f at first, %.6f at the end\n", name.c_str(), ranks.size(),
                    part_before, part_after);
    world.barrier();
    const bool is_whole = how.save.empty(), is_kept = std::abs(after / before - 1) < 1e-12;
    if (world.rank() == 0 && is_whole)
        std::printf("all: energy %.6f, relative change %s, fingerprint %016llx\n", after,
                    is_kept ? "below 1e-12" : "TOO GREAT", static_cast<unsigned long long>(fingerprint));
    if (world.rank() == 0 && !is_whole)
        std::printf("saved at %lld in %s.air, %s.ice and %s.sea\n", static_cast<long long>(how.save_at),
                    how.save.c_str(), how.save.c_str(), how.save.c_str());
    return is_whole && !is_kept ? 1 : 0;
}
