// SPDX-License-Identifier: Apache-2.0
// Conservative weights between latitude-longitude grids and meshes of quadrilaterals: against overlaps that
// are known, integrals kept to rounding, constants kept, errors that fall with the width of the cells, masks;
// the same whichever ranks have the cells.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/overlap.hpp"
#include "lisle/couple/regridding.hpp"

namespace {

namespace couple = lisle::couple;
using couple::corner;
using couple::decomposition;
using couple::global_index;
using couple::grid_cells;
using couple::normalisation;

constexpr double pi = std::numbers::pi;

using random_source = std::mt19937_64;

/// All cells of a grid, as all ranks know them.
using grid = std::vector<std::vector<corner>>;

grid latitudes_longitudes(int rows, int columns, double west) {
    grid cells;
    for (int row = 0; row != rows; ++row)
        for (int column = 0; column != columns; ++column) {
            const double south = std::sin(-pi / 2 + pi * row / rows),
                         north = std::sin(-pi / 2 + pi * (row + 1) / rows);
            const double left = west + 2 * pi * column / columns,
                         right = west + 2 * pi * (column + 1) / columns;
            cells.push_back({{left, south}, {right, south}, {right, north}, {left, north}});
        }
    return cells;
}

/// Quadrilaterals that fill the unit square, bent by `bend`.
grid bent_square(int side, double bend) {
    const auto at = [=](int row, int column) {
        const double x = static_cast<double>(column) / side, y = static_cast<double>(row) / side;
        const double by = bend * std::sin(pi * x) * std::sin(pi * y);
        return corner{x + by, y - by};
    };
    grid cells;
    for (int row = 0; row != side; ++row)
        for (int column = 0; column != side; ++column)
            cells.push_back(
                {at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)});
    return cells;
}

double area_of(const std::vector<corner> &of) {
    grid_cells one;
    one.add(0, of);
    return one.all().front().area();
}
corner middle_of(const std::vector<corner> &of) {
    corner sum;
    for (const corner &each : of)
        sum = {sum.x + each.x / static_cast<double>(of.size()),
               sum.y + each.y / static_cast<double>(of.size())};
    return sum;
}

/// One regridding from a grid to another, whose cells are dealt out at random.
class case_of {
  public:
    case_of(const lisle::communicator &world, random_source &random, grid from, grid to,
            const std::vector<bool> &masked, normalisation how, double period)
        : world_{world}, from_{std::move(from)}, to_{std::move(to)} {
        grid_cells offered, wanted;
        for (std::size_t number = 0; number != from_.size(); ++number)
            if (static_cast<int>(random() % static_cast<unsigned>(world.size())) == world.rank() &&
                (masked.empty() || !masked[number])) {
                offered.add(static_cast<std::int64_t>(number), from_[number]);
                sources_.push_back(static_cast<global_index>(number));
            }
        for (std::size_t number = 0; number != to_.size(); ++number)
            if (static_cast<int>(random() % static_cast<unsigned>(world.size())) == world.rank()) {
                wanted.add(static_cast<std::int64_t>(places_.size()), to_[number]);
                places_.push_back(number);
            }
        made_ = couple::overlap_weights(world.native(), offered, wanted, how, period);
    }
    [[nodiscard]] const couple::conservative_weights &made() const { return made_; }
    [[nodiscard]] const std::vector<std::size_t> &places() const { return places_; }

    /// What the caller's cells get of a field.
    template <class Field> [[nodiscard]] std::vector<double> regridded(const Field &field) const {
        std::vector<double> values, got(places_.size(), 0);
        for (const global_index source : sources_)
            values.push_back(field(middle_of(from_[static_cast<std::size_t>(source)])));
        const auto points = decomposition::list(static_cast<global_index>(from_.size()), sources_);
        couple::regridding{world_.native(), points, static_cast<std::int64_t>(places_.size()),
                           made_.weights}(values, got);
        return got;
    }
    /// The field's integral on both sides, over all ranks.
    template <class Field> [[nodiscard]] std::array<double, 2> integrals(const Field &field) const {
        double before = 0, after = 0;
        for (const global_index source : sources_) {
            const auto &cell = from_[static_cast<std::size_t>(source)];
            before += area_of(cell) * field(middle_of(cell));
        }
        const std::vector<double> got = regridded(field);
        for (std::size_t place = 0; place != got.size(); ++place)
            after += area_of(to_[places_[place]]) * got[place];
        return {world_.allreduce(before, std::plus<>{}), world_.allreduce(after, std::plus<>{})};
    }

  private:
    lisle::communicator world_;
    grid from_, to_;
    std::vector<global_index> sources_;
    std::vector<std::size_t> places_;
    couple::conservative_weights made_;
};

double wave(const corner &at) {
    return 2 + std::cos(at.x) * (1 - at.y * at.y) + at.y;
}

void expect_near(double is, double should, double tolerance, const char *what) {
    if (!(std::abs(is - should) <= tolerance))
        check::fail(__FILE__, __LINE__,
                    std::string{what} + ": " + std::to_string(is) + " is not " + std::to_string(should));
}

/// Two grids of 4 and 3 columns and one row: overlaps that can be counted by hand.
void check_by_hand(const lisle::communicator &world, random_source &random) {
    const case_of few{world,
                      random,
                      latitudes_longitudes(1, 4, 0),
                      latitudes_longitudes(1, 3, 0),
                      {},
                      normalisation::whole_area,
                      2 * pi};
    for (const couple::weight &each : few.made().weights) {
        const std::size_t column = few.places()[static_cast<std::size_t>(each.place)];
        // A third of the circle is one quarter and a part of the next, or two halves of two.
        constexpr double expected[3][4] = {{0.75, 0.25, 0, 0}, {0, 0.5, 0.5, 0}, {0, 0, 0.25, 0.75}};
        expect_near(each.factor, expected[column][each.source], 1e-14, "a weight");
        CHECK_EQ(expected[column][each.source] > 0, true);
    }
    const int found = world.allreduce(static_cast<int>(few.made().weights.size()), std::plus<>{});
    CHECK_EQ(found, 6);
}

/// Four columns and three lines for three and two: a third of the circle is three quarters of the first
/// column and one of the next, as SCRIP counts; half of the globe is half each of two zones between sines of
/// latitudes.
void check_zones_by_hand(const lisle::communicator &world, random_source &random) {
    const auto cells = [](int columns, std::vector<double> sines) {
        grid all;
        for (std::size_t row = 0; row + 1 != sines.size(); ++row)
            for (int column = 0; column != columns; ++column) {
                const double west = 2 * pi * column / columns, east = 2 * pi * (column + 1) / columns;
                all.push_back(
                    {{west, sines[row]}, {east, sines[row]}, {east, sines[row + 1]}, {west, sines[row + 1]}});
            }
        return all;
    };
    const grid from = cells(4, {-1, -0.5, 0.5, 1}), to = cells(3, {-1, 0, 1});
    constexpr double columns[3][4] = {{0.75, 0.25, 0, 0}, {0, 0.5, 0.5, 0}, {0, 0, 0.25, 0.75}},
                     lines[2][3] = {{0.5, 0.5, 0}, {0, 0.5, 0.5}};
    std::vector<bool> masked(from.size());
    for (const bool is_any_masked : {false, true}) {
        masked[0] = is_any_masked; // the first column of the first line
        for (const normalisation how : {normalisation::whole_area, normalisation::covered_area}) {
            const case_of few{world, random, from, to, masked, how, 2 * pi};
            for (const couple::weight &each : few.made().weights) {
                const std::size_t cell = few.places()[static_cast<std::size_t>(each.place)];
                const auto source = static_cast<std::size_t>(each.source);
                double expected = columns[cell % 3][source % 4] * lines[cell / 3][source / 4];
                if (is_any_masked && cell == 0 && how == normalisation::covered_area)
                    expected /= 0.625; // 3/8 of it are masked
                expect_near(each.factor, expected, 1e-14, "a weight");
                CHECK(expected > 0 && !masked[source]);
            }
            const int found = world.allreduce(static_cast<int>(few.made().weights.size()), std::plus<>{});
            CHECK_EQ(found, is_any_masked ? 23 : 24);
        }
    }
}

void check_conservation(const lisle::communicator &world, random_source &random) {
    for (const double west : {0.0, -pi, 0.1, 7.0}) {
        const case_of sphere{world,
                             random,
                             latitudes_longitudes(17, 31, west),
                             latitudes_longitudes(12, 25, 0),
                             {},
                             normalisation::whole_area,
                             2 * pi};
        const auto [before, after] = sphere.integrals(wave);
        expect_near(after / before, 1, 1e-12, "an integral over the sphere");
        for (const double each : sphere.made().covered)
            expect_near(each, 1, 1e-12, "what is covered of a cell");
        for (const double each : sphere.regridded([](const corner &) { return 3.5; }))
            expect_near(each, 3.5, 1e-12, "a constant");
    }
    const case_of square{
        world, random, bent_square(13, 0.1), bent_square(9, -0.07), {}, normalisation::whole_area, 0};
    const auto [before, after] = square.integrals(wave);
    expect_near(after / before, 1, 1e-12, "an integral over bent cells");
}

void check_masks(const lisle::communicator &world, random_source &random) {
    const grid from = latitudes_longitudes(14, 22, 0.3), to = latitudes_longitudes(9, 17, 0);
    std::vector<bool> masked(from.size());
    for (std::size_t at = 0; at != masked.size(); ++at)
        masked[at] = at % 3 == 0 || at < 40;
    const case_of whole{world, random, from, to, masked, normalisation::whole_area, 2 * pi};
    const auto [before, after] = whole.integrals(wave);
    expect_near(after / before, 1, 1e-12, "an integral over what is not masked");
    const case_of part{world, random, from, to, masked, normalisation::covered_area, 2 * pi};
    const std::vector<double> constant = part.regridded([](const corner &) { return 3.5; });
    for (std::size_t place = 0; place != constant.size(); ++place)
        expect_near(constant[place], part.made().covered[place] > 0 ? 3.5 : 0, 1e-12,
                    "a constant where something is covered");
    const case_of none{
        world, random, from, to, std::vector<bool>(from.size(), true), normalisation::covered_area, 2 * pi};
    CHECK_EQ(none.made().weights.size(), std::size_t{0});
}

/// The greatest error of a smooth field on grids that are so fine.
double error_of(const lisle::communicator &world, random_source &random, int fineness) {
    const grid to = latitudes_longitudes(4 * fineness, 7 * fineness, 0.2);
    const case_of some{world, random, latitudes_longitudes(3 * fineness, 5 * fineness, 0),
                       to,    {},     normalisation::whole_area,
                       2 * pi};
    const std::vector<double> got = some.regridded(wave);
    double greatest = 0;
    for (std::size_t place = 0; place != got.size(); ++place)
        greatest = std::max(greatest, std::abs(got[place] - wave(middle_of(to[some.places()[place]]))));
    return world.allreduce(greatest, lisle::maximum{});
}

void check_order(const lisle::communicator &world, random_source &random) {
    const double coarse = error_of(world, random, 2), fine = error_of(world, random, 8);
    if (!(fine < coarse / 3)) // four times as fine: four times as exact, but for what is not yet small
        check::fail(__FILE__, __LINE__,
                    "the error falls from " + std::to_string(coarse) + " to " + std::to_string(fine) +
                        " only");
}

void check_refusals() {
    const auto refusal = [](const auto &call) {
        try {
            call();
        } catch (const std::invalid_argument &error) {
            return std::string{error.what()};
        }
        return std::string{};
    };
    grid_cells cells;
    const std::array<corner, 2> line{corner{0, 0}, {1, 0}};
    CHECK_EQ(refusal([&] { cells.add(7, line); }),
             std::string{"couple: the cell 7 has 2 corners, not 3 to 8"});
    const std::array<corner, 4> dented{corner{0, 0}, {1, 0}, {0.2, 0.2}, {0, 1}};
    CHECK_EQ(refusal([&] { cells.add(7, dented); }), std::string{"couple: the cell 7 is not convex"});
    const std::array<corner, 3> endless{corner{0, 0}, {1, 0}, {0, INFINITY}};
    CHECK_EQ(refusal([&] { cells.add(7, endless); }),
             std::string{"couple: the cell 7 has a corner that is no finite number"});
    const std::array<corner, 3> clockwise{corner{0, 0}, {0, 1}, {1, 0}};
    cells.add(8, clockwise);
    expect_near(cells.all().back().area(), 0.5, 1e-15, "the area of a cell whose corners go clockwise");
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const lisle::communicator world = lisle::world();
    random_source random{2};
    check_refusals();
    check_by_hand(world, random);
    check_zones_by_hand(world, random);
    check_conservation(world, random);
    check_masks(world, random);
    check_order(world, random);
}
