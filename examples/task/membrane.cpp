// SPDX-License-Identifier: Apache-2.0
// A membrane over water: two coupled components that have to agree in each step. The water's pressure is what
// it takes to move the water, so it follows the membrane's acceleration; the membrane moves as the pressure
// lets it. When the water is heavier than the membrane, to repeat a step plainly leads ever further away.
// Shown is how many iterations a step takes, by rule and by weight of the water; the end is compared with the
// exact solution of the same equations.
//
//     mpirun -n 4 membrane        # half of the ranks are the water's, half the membrane's
//     mpirun -n 4 membrane 15     # with fewer steps than 60
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "lisle/communicator.hpp"
#include "lisle/couple/fixed_point.hpp"
#include "lisle/couple/job.hpp"
#include "lisle/environment.hpp"

namespace {

namespace couple = lisle::couple;
using values = std::vector<double>;
constexpr double pi = std::numbers::pi;
constexpr int points = 63; // between the ends, which are held
constexpr double length = 1, depth = 0.3, mass = 1, tension = 20, step_time = 0.005;

/// Mode by mode the equations are numbers: the membrane is a sum of sines.
struct mode {
    double stiffness, water_mass; // of the membrane; of the water that moves along
    mode(int number, double density) {
        const double wave = number * pi / length;
        const double chord = std::sin(wave * length / (points + 1) / 2) * 2 * (points + 1) / length;
        stiffness = tension * chord * chord;
        water_mass = density / (wave * std::tanh(wave * depth));
    }
};

/// The matrix of the transform, row after row.
values sine_table() {
    values all;
    for (int row = 1; row <= points; ++row)
        for (int column = 1; column <= points; ++column)
            all.push_back(std::sqrt(2.0 / (points + 1)) * std::sin(row * column * pi / (points + 1)));
    return all;
}

/// Sines of a shape, and back: the transform is its own inverse.
values transformed(const values &from) {
    static const values table = sine_table();
    values to(points);
    for (std::size_t row = 0; row != points; ++row)
        for (std::size_t column = 0; column != points; ++column)
            to[row] += table[row * points + column] * from[column];
    return to;
}

double load_at(int point, int step) { // a gust over the left half
    return step < 20 && point < points / 2 ? std::sin(pi * (point + 1) / (points + 1.0) * 2) : 0;
}

/// One component's part of the line, and the whole line where a step needs it.
class part {
  public:
    explicit part(MPI_Comm ranks)
        : ranks_{ranks}, begin_{points * ranks_.rank() / ranks_.size()}, end_{points * (ranks_.rank() + 1) /
                                                                              ranks_.size()} {}
    [[nodiscard]] values sized() const { return values(static_cast<std::size_t>(end_ - begin_)); }
    [[nodiscard]] couple::decomposition points_of_grid() const {
        const std::array<std::int64_t, 1> grid{points}, first{begin_}, extent{end_ - begin_};
        return couple::decomposition::block(grid, first, extent);
    }
    [[nodiscard]] values whole(const values &own) const {
        auto [all, counts] = ranks_.allgatherv(own);
        return all;
    }
    void take(const values &all, values &own) const {
        std::copy(all.begin() + begin_, all.begin() + end_, own.begin());
    }

  private:
    lisle::communicator ranks_;
    int begin_, end_;
};

/// The places of the two steps before; what a new place means as an acceleration.
struct motion {
    values last = values(points), before = values(points);
    [[nodiscard]] double acceleration(std::size_t at, double place) const {
        return (place - 2 * last[at] + before[at]) / (step_time * step_time);
    }
    void go_on(const values &place) {
        before = last;
        last = place;
    }
};

/// The membrane's place under a pressure: mass times acceleration is pressure and load less tension.
values moved(const motion &so_far, const values &pressure, int step) {
    values force(points);
    for (int at = 0; at != points; ++at)
        force[static_cast<std::size_t>(at)] =
            load_at(at, step) - pressure[static_cast<std::size_t>(at)] +
            mass / (step_time * step_time) *
                (2 * so_far.last[static_cast<std::size_t>(at)] - so_far.before[static_cast<std::size_t>(at)]);
    values sines = transformed(force);
    for (int number = 1; number <= points; ++number)
        sines[static_cast<std::size_t>(number - 1)] /=
            mass / (step_time * step_time) + mode{number, 0}.stiffness;
    return transformed(sines);
}

/// The water's pressure on a membrane that moves there.
values pressed(const motion &so_far, const values &place, double density) {
    values acceleration(points);
    for (std::size_t at = 0; at != points; ++at)
        acceleration[at] = so_far.acceleration(at, place[at]);
    values sines = transformed(acceleration);
    for (int number = 1; number <= points; ++number)
        sines[static_cast<std::size_t>(number - 1)] *= mode{number, density}.water_mass;
    return transformed(sines);
}

/// Both at once: what the two components have to agree on.
values exact(double density, int steps) {
    motion sines;
    for (int step = 0; step != steps; ++step) {
        values force(points), place(points);
        for (int at = 0; at != points; ++at)
            force[static_cast<std::size_t>(at)] = load_at(at, step);
        force = transformed(force);
        for (std::size_t at = 0; at != points; ++at) {
            const mode own{static_cast<int>(at) + 1, density};
            const double inertia = (mass + own.water_mass) / (step_time * step_time);
            place[at] =
                (force[at] + inertia * (2 * sines.last[at] - sines.before[at])) / (inertia + own.stiffness);
        }
        sines.go_on(place);
    }
    return transformed(sines.last);
}

struct outcome {
    double iterations = 0; ///< of a step, on average; 0: it did not converge
    double error = 0;      ///< of the end, relative
};

class experiment {
  public:
    experiment(const lisle::communicator &world, bool is_water, bool is_membrane)
        : world_{world}, is_water_{is_water}, is_membrane_{is_membrane} {}

    [[nodiscard]] outcome run(double density, const couple::iteration_rule &rule, int steps) const {
        couple::job job{world_.native(), names()};
        const part own_water{is_water_ ? job["water"].ranks() : MPI_COMM_SELF},
            own_membrane{is_membrane_ ? job["membrane"].ranks() : MPI_COMM_SELF};
        values pressure = is_water_ ? own_water.sized() : values{}, heard_place = pressure,
               place = is_membrane_ ? own_membrane.sized() : values{}, heard_pressure = place;
        const couple::steps when{1, 0, steps};
        const auto wanted = [](const char *name, values &field, const part &mine, const char *from) {
            couple::want made{name, couple::field_place::of(field.data()), mine.points_of_grid(), from};
            made.is_iterated = true;
            return made;
        };
        if (is_water_) {
            job["water"].runs(when);
            job["water"].offers(
                {"pressure", couple::field_place::of(pressure.data()), own_water.points_of_grid(), "Pa"});
            job["water"].wants(wanted("place", heard_place, own_water, "membrane"));
        }
        if (is_membrane_) {
            job["membrane"].runs(when);
            job["membrane"].offers(
                {"place", couple::field_place::of(place.data()), own_membrane.points_of_grid(), "m"});
            job["membrane"].wants(wanted("pressure", heard_pressure, own_membrane, "water"));
        }
        job.begin();
        couple::fixed_point agreement{world_.native(), rule};
        motion of_water, of_membrane;
        int iterations = 0;
        for (int step = 0; step != steps; ++step) {
            agreement.begin({pressure});
            bool again = true;
            while (again) {
                if (is_water_)
                    job["water"].put();
                if (is_membrane_) {
                    job["membrane"].get();
                    own_membrane.take(moved(of_membrane, own_membrane.whole(heard_pressure), step), place);
                    job["membrane"].put();
                }
                if (is_water_) {
                    job["water"].get();
                    job["water"].settle();
                    own_water.take(pressed(of_water, own_water.whole(heard_place), density), pressure);
                }
                again = agreement.repeats({pressure});
                if (again && is_water_)
                    job["water"].repeat();
                if (again && is_membrane_)
                    job["membrane"].repeat();
            }
            iterations += agreement.iterations();
            if (!agreement.has_converged())
                return {};
            if (is_membrane_)
                of_membrane.go_on(own_membrane.whole(place));
            if (is_water_)
                of_water.go_on(own_water.whole(heard_place));
            for (const char *const name : {"water", "membrane"})
                if (name == std::string{"water"} ? is_water_ : is_membrane_)
                    job[name].advance();
        }
        return {static_cast<double>(iterations) / steps,
                is_membrane_ ? error_of(of_membrane.last, density, steps) : 0};
    }

  private:
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        if (is_water_)
            all.emplace_back("water");
        if (is_membrane_)
            all.emplace_back("membrane");
        return all;
    }
    static double error_of(const values &is, double density, int steps) {
        const values right = exact(density, steps);
        double most = 0, error = 0;
        for (std::size_t at = 0; at != points; ++at) {
            most = std::max(most, std::abs(right[at]));
            error = std::max(error, std::abs(is[at] - right[at]));
        }
        return error / most;
    }
    const lisle::communicator &world_;
    bool is_water_, is_membrane_;
};

} // namespace

int main(int argc, char **argv) {
    const int steps = argc > 1 ? std::atoi(argv[1]) : 60;
    const lisle::environment environment;
    const lisle::communicator world = lisle::world();
    const bool shares = world.size() == 1;
    const experiment all{world, shares || world.rank() % 2 == 0, shares || world.rank() % 2 == 1};
    const auto rule = [](couple::acceleration how, double relaxation) {
        couple::iteration_rule made{how, relaxation, 1e-10};
        made.most = 100;
        return made;
    };
    if (world.rank() == 0)
        std::printf("iterations of a step (-: none in 100)\n%10s %10s %10s %10s %14s\n", "water", "plain",
                    "constant", "Aitken", "quasi-Newton");
    double error = 0;
    for (const double density : {1.0, 3.0, 10.0, 30.0}) {
        std::array<outcome, 4> of{};
        // The constant that is best for the heaviest and the lightest mode together.
        const double heaviest = mode{1, density}.water_mass, constant = 2 / (2 + heaviest);
        const std::array<couple::iteration_rule, 4> rules{
            rule(couple::acceleration::none, 1), rule(couple::acceleration::constant, constant),
            rule(couple::acceleration::aitken, constant), rule(couple::acceleration::quasi_newton, constant)};
        for (std::size_t at = 0; at != rules.size(); ++at) {
            of[at] = all.run(density, rules[at], steps);
            error = std::max(error, of[at].error);
        }
        if (world.rank() == 0) {
            std::printf("%10.0f", density);
            for (std::size_t at = 0; at != of.size(); ++at)
                of[at].iterations > 0 ? std::printf(at == 3 ? " %14.1f" : " %10.1f", of[at].iterations)
                                      : std::printf(at == 3 ? " %14s" : " %10s", "-");
            std::printf("\n");
        }
    }
    error = world.allreduce(error, lisle::maximum{});
    if (world.rank() == 0)
        std::printf("all that converged %s the exact solution (%s)\n",
                    error < 1e-6 ? "agree with" : "DIFFER FROM",
                    error < 1e-6 ? "within 1e-6" : "by more than 1e-6");
    return error < 1e-6 ? 0 : 1;
}
