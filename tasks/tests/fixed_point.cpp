// SPDX-License-Identifier: Apache-2.0
// Fixed points of linear maps, whose number of iterations theory tells, wherever the values lie; and fields
// that two components iterate.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/fixed_point.hpp"
#include "lisle/couple/job.hpp"

namespace {

namespace couple = lisle::couple;
using couple::acceleration;
using values = std::vector<double>;

/// H(x) = x times a factor by element, and 1: two fields, the second one in other units.
class linear_map {
  public:
    linear_map(const lisle::communicator &world, const values &factors, int size = 24) {
        for (int at = world.rank(); at < size; at += world.size())
            factors_.push_back(factors[static_cast<std::size_t>(at) % factors.size()]);
    }
    [[nodiscard]] std::size_t size() const { return factors_.size(); }
    void operator()(values &small, values &large) const {
        for (std::size_t at = 0; at != size(); ++at) {
            small[at] = factors_[at] * small[at] + 1;
            large[at] = factors_[at] * large[at] + unit;
        }
    }
    void check_solved(const values &small, const values &large, double limit) const {
        for (std::size_t at = 0; at != size(); ++at) {
            const double right = 1 / (1 - factors_[at]);
            CHECK(std::abs(small[at] - right) <= limit * std::abs(right));
            CHECK(std::abs(large[at] / unit - right) <= limit * std::abs(right));
        }
    }

  private:
    static constexpr double unit = 1e7;
    values factors_;
};

/// @return whether it converged
bool solve(couple::fixed_point &by, const linear_map &map, values &small, values &large) {
    by.begin({small, large});
    do {
        map(small, large);
    } while (by.repeats({small, large}));
    return by.has_converged();
}

int iterations(const lisle::communicator &world, const values &factors, const couple::iteration_rule &rule) {
    const linear_map map{world, factors};
    values small(map.size()), large(map.size());
    couple::fixed_point by{world.native(), rule};
    CHECK(solve(by, map, small, large));
    map.check_solved(small, large, 1e-6);
    CHECK_EQ(static_cast<std::size_t>(by.iterations()), by.history().size());
    return by.iterations();
}

// The difference shrinks by a fixed factor; the first one is all of what comes out.
int of_constant(double factor, double relaxation, double relative) {
    int count = 1;
    for (double x = 0; !(std::abs(factor * x + 1 - x) <= relative * std::abs(factor * x + 1)); ++count)
        x += relaxation * (factor * x + 1 - x);
    return count;
}

void check_theory(const lisle::communicator &world) {
    const auto rule = [](acceleration how, double relaxation) {
        couple::iteration_rule made{how, relaxation, 1e-9};
        made.most = 400;
        return made;
    };
    CHECK_EQ(iterations(world, {0.5}, rule(acceleration::none, 1)), of_constant(0.5, 1, 1e-9));
    CHECK_EQ(iterations(world, {-3}, rule(acceleration::constant, 0.2)), of_constant(-3, 0.2, 1e-9));
    // One factor: a straight line, which two differences tell.
    CHECK_EQ(iterations(world, {-3}, rule(acceleration::aitken, 0.1)), 3);
    CHECK_EQ(iterations(world, {0.9}, rule(acceleration::aitken, 0.1)), 3);
    // So many different factors, so many differences.
    CHECK_EQ(iterations(world, {-3}, rule(acceleration::quasi_newton, 0.1)), 3);
    CHECK(iterations(world, {-3, 0.5}, rule(acceleration::quasi_newton, 0.1)) <= 4);
    CHECK(iterations(world, {-3, 0.5, 0.9, -8, 2}, rule(acceleration::quasi_newton, 0.1)) <= 7);
    CHECK(iterations(world, {-3, 0.5, 0.9, -8, 2}, rule(acceleration::aitken, 0.1)) > 7);
}

void check_later_steps(const lisle::communicator &world) {
    const linear_map map{world, {-3, 0.5, 0.9, -8}};
    const auto count = [&](int reused) {
        couple::iteration_rule rule{acceleration::quasi_newton, 0.1, 1e-8};
        rule.reused_steps = reused;
        couple::fixed_point by{world.native(), rule};
        int last = 0;
        for (int step = 0; step != 3; ++step) {
            values small(map.size(), step * 5), large(map.size(), step * 1e6);
            CHECK(solve(by, map, small, large));
            map.check_solved(small, large, 1e-5);
            last = by.iterations();
        }
        return last;
    };
    CHECK(count(0) > 3);
    CHECK(count(2) <= 3); // what the steps before have told is enough
}

void check_what_does_not_converge(const lisle::communicator &world) {
    const linear_map map{world, {-3}};
    values small(map.size()), large(map.size());
    couple::iteration_rule rule{acceleration::none, 1, 1e-9};
    rule.most = 12;
    couple::fixed_point by{world.native(), rule};
    CHECK(!solve(by, map, small, large));
    CHECK_EQ(by.iterations(), 12);
}

template <class Call> std::string refusal(const Call &call) {
    try {
        call();
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

void check_refusals(const lisle::communicator &world) {
    CHECK_EQ(refusal([&] {
                 couple::fixed_point{world.native(), {acceleration::constant, 0}};
             }),
             std::string{"couple: a fixed point's relaxation cannot be 0.000000"});
    couple::fixed_point by{world.native(), {}};
    values two(2), three(3);
    by.begin({two});
    CHECK_EQ(refusal([&] { static_cast<void>(by.repeats({three})); }),
             std::string{"couple: a fixed point of 2 values in 1 fields got 3 in 1"});
}

// ---- components ----

couple::decomposition part_of(const lisle::communicator &ranks, std::int64_t points) {
    const std::int64_t begin = points * ranks.rank() / ranks.size(),
                       end = points * (ranks.rank() + 1) / ranks.size();
    const std::array<std::int64_t, 1> grid{points}, first{begin}, extent{end - begin};
    return couple::decomposition::block(grid, first, extent);
}

/// Each step has a load of its own: force = load - 4 place, place = force / 2 (plain repeating diverges). A
/// third component hears of the places that they have agreed on, once a step.
void check_components(const lisle::communicator &world) {
    constexpr std::int64_t points = 30, steps = 5;
    const bool is_fluid = world.rank() % 2 == 0, is_wall = world.rank() % 2 == 1 || world.size() == 1;
    std::vector<std::string> own{"witness"};
    if (is_fluid)
        own.emplace_back("fluid");
    if (is_wall)
        own.emplace_back("wall");
    couple::job job{world.native(), own};
    const auto part = [&](const char *name, bool has) {
        return has ? part_of(lisle::communicator{job[name].ranks()}, points) : couple::decomposition{points};
    };
    const couple::decomposition of_fluid = part("fluid", is_fluid), of_wall = part("wall", is_wall),
                                of_witness = part("witness", true);
    const auto sized = [](const couple::decomposition &of) {
        return values(static_cast<std::size_t>(of.places()));
    };
    values force = sized(of_fluid), heard_place = force, place = sized(of_wall), heard_force = place,
           agreed = place, seen = sized(of_witness);
    const couple::steps when{1, 0, steps};
    const auto iterated = [](couple::want made) {
        made.is_iterated = true;
        return made;
    };
    if (is_fluid) {
        job["fluid"].runs(when);
        job["fluid"].offers({"force", couple::field_place::of(force.data()), of_fluid});
        job["fluid"].wants(
            iterated({"place", couple::field_place::of(heard_place.data()), of_fluid, "wall"}));
    }
    if (is_wall) {
        job["wall"].runs(when);
        job["wall"].offers({"place", couple::field_place::of(place.data()), of_wall});
        job["wall"].offers({"agreed", couple::field_place::of(agreed.data()), of_wall});
        job["wall"].wants(iterated({"force", couple::field_place::of(heard_force.data()), of_wall, "fluid"}));
    }
    job["witness"].runs(when);
    job["witness"].wants({"agreed", couple::field_place::of(seen.data()), of_witness, "wall"});
    job.begin();
    couple::fixed_point pair{world.native(), {acceleration::quasi_newton, 0.3, 1e-12}};
    for (std::int64_t step = 0; step != steps; ++step) {
        const double load = static_cast<double>(step + 1);
        if (is_wall)
            job["wall"].put("agreed"); // of the step before
        job["witness"].get();
        for (const double each : seen)
            CHECK(std::abs(each - (step == 0 ? 0 : static_cast<double>(step) / 6)) < 1e-9);
        pair.begin({force, place});
        bool again = true;
        while (again) {
            if (is_fluid)
                job["fluid"].put();
            if (is_wall)
                job["wall"].put("place");
            if (is_fluid)
                job["fluid"].get();
            if (is_wall)
                job["wall"].get();
            if (is_fluid)
                job["fluid"].settle();
            if (is_wall)
                job["wall"].settle();
            for (std::size_t at = 0; at != force.size(); ++at)
                force[at] = load - 4 * heard_place[at];
            for (std::size_t at = 0; at != place.size(); ++at)
                place[at] = heard_force[at] / 2;
            again = pair.repeats({force, place});
            if (again && is_fluid)
                job["fluid"].repeat();
            if (again && is_wall)
                job["wall"].repeat();
        }
        CHECK(pair.has_converged());
        for (const double each : place)
            CHECK(std::abs(each - load / 6) < 1e-9);
        if (is_fluid)
            job["fluid"].advance();
        if (is_wall)
            job["wall"].advance();
        job["witness"].advance();
        agreed = place;
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const lisle::communicator world = lisle::world();
    check_theory(world);
    check_later_steps(world);
    check_what_does_not_converge(world);
    check_refusals(world);
    check_components(world);
}
