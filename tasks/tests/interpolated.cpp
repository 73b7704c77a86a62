// SPDX-License-Identifier: Apache-2.0
// Weights between points: bilinear ones against fields that they keep, errors that fall with the square of
// the width, masks; nearest ones against all distances. The same to the last bit whichever ranks have what.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/interpolation.hpp"

namespace {

namespace couple = lisle::couple;
using couple::corner;
using couple::located_point;
using couple::masked_corners;
using couple::vertex;

constexpr double pi = std::numbers::pi;

using random_source = std::mt19937_64;
double between(random_source &random, double begin, double end) {
    return begin + (end - begin) * static_cast<double>(random() >> 11) / 0x1p53;
}
bool is_dealt_to(random_source &random, const lisle::communicator &ranks) {
    return static_cast<int>(random() % static_cast<unsigned>(ranks.size())) == ranks.rank();
}

void expect_near(double is, double should, double tolerance, const char *what) {
    if (!(std::abs(is - should) <= tolerance))
        check::fail(__FILE__, __LINE__,
                    std::string{what} + ": " + std::to_string(is) + " is not " + std::to_string(should));
}

/// The caller's part of points that all ranks know.
std::vector<located_point> dealt(random_source &random, const lisle::communicator &ranks,
                                 const std::vector<located_point> &all) {
    std::vector<located_point> own;
    for (const located_point &each : all)
        if (is_dealt_to(random, ranks))
            own.push_back(each);
    return own;
}

using rows = std::map<std::int64_t, std::vector<couple::weight>>;

rows rows_of(const couple::interpolation_weights &made) {
    rows all;
    for (const couple::weight &each : made.weights)
        all[each.place].push_back(each);
    return all;
}

/// What a rank's places got is what they get where one rank has everything.
void check_part(const couple::interpolation_weights &part, const std::vector<located_point> &own,
                const couple::interpolation_weights &whole) {
    const rows is = rows_of(part), should = rows_of(whole);
    for (const located_point &each : own) {
        const bool is_missed = std::ranges::binary_search(whole.missed, each.number);
        CHECK_EQ(std::ranges::binary_search(part.missed, each.number), is_missed);
        CHECK_EQ(is.contains(each.number), !is_missed);
        if (is_missed)
            continue;
        const auto &one = is.at(each.number), &other = should.at(each.number);
        CHECK_EQ(one.size(), other.size());
        for (std::size_t at = 0; at != one.size(); ++at) {
            CHECK_EQ(one[at].source, other[at].source);
            CHECK_EQ(one[at].factor, other[at].factor);
        }
    }
}

/// Points and what lies between them.
struct mesh {
    std::vector<corner> points;
    std::vector<std::vector<std::size_t>> elements;
};

/// The unit square in quadrilaterals that are bent, or halves of these.
mesh bent_square(int side, double bend, bool in_triangles) {
    mesh made;
    for (int row = 0; row <= side; ++row)
        for (int column = 0; column <= side; ++column) {
            const double x = static_cast<double>(column) / side, y = static_cast<double>(row) / side;
            const double by = bend * std::sin(pi * x) * std::sin(pi * y);
            made.points.push_back({x + by, y - by});
        }
    for (int row = 0; row != side; ++row)
        for (int column = 0; column != side; ++column) {
            const auto at = static_cast<std::size_t>(row * (side + 1) + column),
                       above = at + static_cast<std::size_t>(side + 1);
            if (in_triangles) {
                made.elements.push_back({at, at + 1, above + 1});
                made.elements.push_back({above, above + 1, at});
            } else {
                made.elements.push_back({at, at + 1, above + 1, above});
            }
        }
    return made;
}

/// Points in the middles of a latitude-longitude grid's cells; elements go around the globe.
mesh latitudes_longitudes(int lines, int columns, double west) {
    mesh made;
    for (int row = 0; row != lines; ++row)
        for (int column = 0; column != columns; ++column)
            made.points.push_back(
                {west + 2 * pi * (column + 0.5) / columns, -pi / 2 + pi * (row + 0.5) / lines});
    for (int row = 0; row + 1 != lines; ++row)
        for (int column = 0; column != columns; ++column) {
            const auto at = [=](int line, int where) {
                return static_cast<std::size_t>(line * columns + where % columns);
            };
            made.elements.push_back(
                {at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)});
        }
    return made;
}

/// An element's corners; on a cylinder those that lie beyond its seam are taken a turn further.
std::vector<vertex> corners_of(const mesh &from, const std::vector<std::size_t> &element, double period,
                               const std::vector<bool> &masked) {
    std::vector<vertex> all;
    for (const std::size_t each : element) {
        corner at = from.points[each];
        if (period != 0 && at.x < from.points[element.front()].x)
            at.x += period;
        all.push_back({static_cast<couple::global_index>(each), at, !masked.empty() && masked[each]});
    }
    return all;
}

couple::mesh_elements elements_of(const mesh &from, double period, const std::vector<bool> &masked) {
    couple::mesh_elements made;
    for (const auto &each : from.elements)
        made.add(corners_of(from, each, period, masked));
    return made;
}

/// Weights where one rank has everything; and as they are where all is dealt out, which is checked.
couple::interpolation_weights checked_bilinear(const lisle::communicator &world, random_source &random,
                                               const mesh &from, const std::vector<located_point> &to,
                                               const couple::bilinear_options &how,
                                               const std::vector<bool> &masked = {}) {
    couple::mesh_elements own;
    for (const auto &each : from.elements)
        if (is_dealt_to(random, world))
            own.add(corners_of(from, each, how.period, masked));
    const auto places = dealt(random, world, to);
    const auto whole =
        couple::bilinear_weights(MPI_COMM_SELF, elements_of(from, how.period, masked), to, how);
    check_part(couple::bilinear_weights(world.native(), own, places, how), places, whole);
    return whole;
}

std::vector<located_point> scattered(random_source &random, int count, corner least, corner greatest) {
    std::vector<located_point> all;
    for (int each = 0; each != count; ++each)
        all.push_back({each, {between(random, least.x, greatest.x), between(random, least.y, greatest.y)}});
    return all;
}

template <class Field> std::map<std::int64_t, double>
interpolated(const mesh &from, const couple::interpolation_weights &made, const Field &field) {
    std::map<std::int64_t, double> all;
    for (const couple::weight &each : made.weights)
        all[each.place] += each.factor * field(from.points[static_cast<std::size_t>(each.source)]);
    return all;
}

/// One element whose map can be undone by hand, and the unit square's corners, edges and outside.
void check_by_hand(const lisle::communicator &world, random_source &random) {
    // A trapezium: x = u (2 - v), y = v.
    const mesh trapezium{{{0, 0}, {2, 0}, {1, 1}, {0, 1}}, {{0, 1, 2, 3}}};
    const std::vector<located_point> places{
        {5, {0.75, 0.5}}, {6, {2, 0}}, {7, {0.5, 1}}, {8, {1.6, 0.5}}, {9, {-1e-13, 0.5}}};
    const auto made = checked_bilinear(world, random, trapezium, places, {});
    CHECK_EQ(made.missed.size(), std::size_t{1});
    CHECK_EQ(made.missed.front(), 8);
    const rows got = rows_of(made);
    for (const couple::weight &each : got.at(5)) // u = v = 1/2
        expect_near(each.factor, 0.25, 1e-15, "the weight of a corner");
    CHECK_EQ(got.at(5).size(), std::size_t{4});
    CHECK_EQ(got.at(6).size(), std::size_t{1}); // at a corner
    CHECK_EQ(got.at(6).front().source, 1);
    CHECK_EQ(got.at(7).size(), std::size_t{2}); // on an edge
    expect_near(got.at(7).front().factor, 0.5, 1e-15, "the weight of an edge's end");
    CHECK_EQ(got.at(9).size(), std::size_t{2}); // outside by rounding
}

void check_exact(const lisle::communicator &world, random_source &random) {
    const auto line = [](const corner &at) { return 3 + 2 * at.x - 5 * at.y; };
    for (const bool in_triangles : {false, true})
        for (const double bend : {0.0, 0.08}) {
            const mesh from = bent_square(11, bend, in_triangles);
            auto to = scattered(random, 300, {-0.1, -0.1}, {1.1, 1.1});
            for (const corner &each : from.points)
                to.push_back({static_cast<std::int64_t>(to.size()), each});
            for (const auto &each : from.elements) { // on edges
                const corner &one = from.points[each[1]], &other = from.points[each[2]];
                to.push_back({static_cast<std::int64_t>(to.size()),
                              {0.3 * one.x + 0.7 * other.x, 0.3 * one.y + 0.7 * other.y}});
            }
            const auto made = checked_bilinear(world, random, from, to, {});
            const auto got = interpolated(from, made, line);
            for (const auto &[number, at] : to) {
                const bool is_inside = at.x >= 0 && at.x <= 1 + 1e-15 && at.y >= 0 && at.y <= 1;
                CHECK_EQ(got.contains(number), is_inside);
                if (is_inside)
                    expect_near(got.at(number), line(at), 1e-9, "a linear field");
            }
        }
}

/// The greatest error of a smooth field on the sphere between its first and its last line of points.
double error_of(const lisle::communicator &world, random_source &random, int fineness, double west) {
    const auto wave = [](const corner &at) { return std::cos(at.y) * std::cos(at.x) + std::sin(3 * at.y); };
    const mesh from = latitudes_longitudes(6 * fineness, 10 * fineness, west);
    auto to = scattered(random, 500, {-3 * pi, -1.3}, {3 * pi, 1.3});
    to.push_back({500, {0, 0.3}});
    to.push_back({501, {2 * pi, 0.3}});
    const auto made = checked_bilinear(world, random, from, to, {.period = 2 * pi});
    CHECK_EQ(made.missed.size(), std::size_t{0});
    const auto got = interpolated(from, made, wave);
    double greatest = 0;
    for (const located_point &each : to)
        greatest = std::max(greatest, std::abs(got.at(each.number) - wave(each.at)));
    return greatest;
}

void check_order(const lisle::communicator &world, random_source &random) {
    for (const double west : {0.3, -2.0, 7.0}) {
        const double coarse = error_of(world, random, 2, west), fine = error_of(world, random, 8, west);
        if (!(fine < coarse / 13)) // four times as fine: sixteen times as exact
            check::fail(__FILE__, __LINE__,
                        "the error falls from " + std::to_string(coarse) + " to " + std::to_string(fine) +
                            " only");
    }
}

void check_masks(const lisle::communicator &world, random_source &random) {
    const mesh from = bent_square(6, 0, false);
    std::vector<bool> masked(from.points.size());
    for (std::size_t at = 0; at != masked.size(); ++at)
        masked[at] = at < 14 || at % 4 == 0; // the first two lines, and others here and there
    const auto to = scattered(random, 200, {0, 0}, {1, 1});
    const auto all = rows_of(checked_bilinear(world, random, from, to, {}));
    const auto lost =
        checked_bilinear(world, random, from, to, {.masked = masked_corners::lose_weight}, masked);
    const auto scaled =
        checked_bilinear(world, random, from, to, {.masked = masked_corners::rescale}, masked);
    const rows less = rows_of(lost), full = rows_of(scaled);
    CHECK_EQ(lost.missed.size(), scaled.missed.size());
    for (const auto &[place, row] : all) {
        double kept = 0;
        std::vector<couple::weight> expected;
        for (const couple::weight &each : row)
            if (!masked[static_cast<std::size_t>(each.source)]) {
                kept += each.factor;
                expected.push_back(each);
            }
        CHECK_EQ(full.contains(place), !expected.empty());
        CHECK_EQ(std::ranges::binary_search(scaled.missed, place), expected.empty());
        for (std::size_t at = 0; at != expected.size(); ++at) {
            CHECK_EQ(less.at(place)[at].source, expected[at].source);
            expect_near(less.at(place)[at].factor, expected[at].factor, 1e-15, "a weight that is kept");
            expect_near(full.at(place)[at].factor, expected[at].factor / kept, 1e-14, "a scaled weight");
        }
    }
    CHECK(!scaled.missed.empty());
}

double distance(const corner &one, const corner &other, const couple::nearest_options &how) {
    if (how.on == couple::surface::sphere) {
        const auto vector = [](const corner &of) {
            return std::array{std::cos(of.y) * std::cos(of.x), std::cos(of.y) * std::sin(of.x),
                              std::sin(of.y)};
        };
        const auto a = vector(one), b = vector(other);
        return 2 * std::asin(std::min(1.0, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / 2));
    }
    double across = one.x - other.x;
    if (how.period != 0)
        across -= std::round(across / how.period) * how.period;
    return std::hypot(across, one.y - other.y);
}

void check_nearest(const lisle::communicator &world, random_source &random,
                   const std::vector<located_point> &from, const std::vector<located_point> &to,
                   const couple::nearest_options &how) {
    const auto whole = couple::nearest_weights(MPI_COMM_SELF, from, to, how);
    const auto offered = dealt(random, world, from), places = dealt(random, world, to);
    check_part(couple::nearest_weights(world.native(), offered, places, how), places, whole);
    const rows got = rows_of(whole);
    CHECK_EQ(whole.missed.size(), from.empty() ? to.size() : 0);
    for (const located_point &each : to) {
        if (from.empty())
            break;
        std::vector<double> distances;
        for (const located_point &other : from)
            distances.push_back(distance(each.at, other.at, how));
        std::vector<double> sorted = distances;
        std::ranges::sort(sorted);
        const auto &row = got.at(each.number);
        const std::size_t expected = std::min(from.size(), static_cast<std::size_t>(how.neighbours));
        CHECK_EQ(row.size(), expected);
        double sum = 0;
        for (std::size_t at = 0; at != expected; ++at)
            sum += std::pow(sorted[at], -how.power);
        for (const couple::weight &weight : row) {
            const double own = distances[static_cast<std::size_t>(weight.source)];
            CHECK(own <= sorted[expected - 1] + 1e-12);
            expect_near(weight.factor, std::pow(own, -how.power) / sum, 1e-6, "a neighbour's weight");
        }
    }
}

/// Everywhere, in a corner far from most places, in few places.
void check_nearest_everywhere(const lisle::communicator &world, random_source &random) {
    const corner south_west{-pi, -pi / 2}, north_east{pi, pi / 2};
    const auto to = scattered(random, 120, south_west, north_east);
    for (const int neighbours : {1, 4}) {
        const couple::nearest_options sphere{.neighbours = neighbours, .power = 2},
            plane{.on = couple::surface::plane, .neighbours = neighbours},
            cylinder{.on = couple::surface::plane, .period = 2 * pi, .neighbours = neighbours};
        for (const auto &how : {sphere, plane, cylinder}) {
            check_nearest(world, random, scattered(random, 400, south_west, north_east), to, how);
            check_nearest(world, random, scattered(random, 150, {3, 1.2}, {3.2, 1.3}), to, how);
            for (const int count : {0, 1, 3})
                check_nearest(world, random, scattered(random, count, south_west, north_east), to, how);
        }
    }
}

/// Of points that are as near the first ones count; a point in the same place counts alone.
void check_ties(const lisle::communicator &world, random_source &random) {
    std::vector<located_point> lattice, middles;
    for (int at = 0; at != 100; ++at) {
        lattice.push_back({at, {static_cast<double>(at % 10), static_cast<double>(at / 10)}});
        if (at % 10 != 9 && at < 90)
            middles.push_back({at, {at % 10 + 0.5, at / 10 + 0.5}});
    }
    for (const int neighbours : {1, 2, 4}) {
        const couple::nearest_options how{.on = couple::surface::plane, .neighbours = neighbours};
        const auto offered = dealt(random, world, lattice), places = dealt(random, world, middles);
        const auto made = couple::nearest_weights(world.native(), offered, places, how);
        CHECK_EQ(made.weights.size(), places.size() * static_cast<std::size_t>(neighbours));
        constexpr std::array<std::int64_t, 4> around{0, 1, 10, 11};
        for (std::size_t at = 0; at != made.weights.size(); ++at) {
            const auto neighbour = at % static_cast<std::size_t>(neighbours);
            CHECK_EQ(made.weights[at].source, made.weights[at].place + around[neighbour]);
            CHECK_EQ(made.weights[at].factor, 1.0 / neighbours);
        }
        const auto same = dealt(random, world, lattice);
        const auto own = couple::nearest_weights(world.native(), offered, same, how);
        CHECK_EQ(own.weights.size(), same.size());
        for (const couple::weight &each : own.weights) {
            CHECK_EQ(each.source, each.place);
            CHECK_EQ(each.factor, 1.0);
        }
    }
}

void check_refusals(const lisle::communicator &world) {
    const auto refusal = [](const auto &call) {
        try {
            call();
        } catch (const std::invalid_argument &error) {
            return std::string{error.what()};
        }
        return std::string{};
    };
    couple::mesh_elements elements;
    const std::array<vertex, 4> dented{vertex{3, {0, 0}}, {4, {1, 0}}, {7, {0.2, 0.2}}, {8, {0, 1}}};
    CHECK_EQ(refusal([&] { elements.add(dented); }),
             std::string{"couple: the element of the points 3 4 7 8 is not convex"});
    CHECK_EQ(refusal([&] { elements.add(std::vector<vertex>(5)); }),
             std::string{"couple: the element of the points 0 0 0 0 0 has 5 corners, not 3 or 4"});
    const std::string by = " (rank " + std::to_string(world.size() - 1) + ")";
    const auto of_last = [&](const corner &at, const couple::nearest_options &how) {
        const std::vector<located_point> wrong{{7, world.rank() == world.size() - 1 ? at : corner{}}};
        return refusal(
            [&] { static_cast<void>(couple::nearest_weights(world.native(), wrong, wrong, how)); });
    };
    CHECK_EQ(of_last({0, 45}, {}),
             "couple: the point 7 lies at the latitude 45.000000, which is none in radians" + by);
    CHECK_EQ(of_last({INFINITY, 0}, {}),
             "couple: the point 7 lies at (inf, 0.000000), which is not finite" + by);
    CHECK_EQ(
        of_last({}, {.neighbours = 0}),
        std::string{"couple: a point cannot have 0 neighbours whose weights fall with the power 1.000000 of "
                    "the distance (rank 0)"});
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const lisle::communicator world = lisle::world();
    random_source random{3};
    check_refusals(world);
    check_by_hand(world, random);
    check_exact(world, random);
    check_masks(world, random);
    check_order(world, random);
    check_nearest_everywhere(world, random);
    check_ties(world, random);
}
