// SPDX-License-Identifier: Apache-2.0
// C's points, cells and weights.
#include <array>
#include <span>
#include <utility>

#include "couple/c_interface/handles.hpp"

namespace couple = lisle::couple;
using couple::detail::answer;
using couple::detail::arguments;
using couple::detail::give_up;
using couple::detail::reject;

namespace lisle::couple::detail {

std::string &last_message() noexcept {
    // A rank has one, since it has a copy of the library: variables of threads would keep ranks from being
    // fibers.
    static std::string sentence{"no call has failed"};
    return sentence;
}

namespace {
template <class T> std::span<T> spanned(T *data, std::int64_t count) {
    return {data, static_cast<std::size_t>(count)};
}
} // namespace

} // namespace lisle::couple::detail

using couple::detail::spanned;

const char *lisle_couple_message(void) {
    return couple::detail::last_message().c_str();
}

int lisle_couple_points_block(int dimensions, const int64_t grid[], const int64_t begin[],
                              const int64_t extents[], lisle_couple_points **points) {
    return answer(__func__, [&](const arguments &given) {
        const auto all = [&](const int64_t *numbers, const char *what) {
            return spanned(given.array(numbers, dimensions, what), dimensions);
        };
        auto &place = given(points, "place of the points");
        place = new lisle_couple_points{couple::decomposition::block(all(grid, "extents of a grid"),
                                                                     all(begin, "indices of a first point"),
                                                                     all(extents, "extents of a block"))};
    });
}

int lisle_couple_points_list(int64_t grid_points, int64_t count, const int64_t numbers[],
                             lisle_couple_points **points) {
    return answer(__func__, [&](const arguments &given) {
        auto &place = given(points, "place of the points");
        place = new lisle_couple_points{couple::decomposition::list(
            grid_points, spanned(given.array(numbers, count, "numbers of points"), count))};
    });
}

int lisle_couple_points_mask(lisle_couple_points *points, int64_t count, const unsigned char left_out[]) {
    return answer(__func__, [&](const arguments &given) {
        auto &inside = given(points, "handle of points").inside;
        inside = inside.masked(spanned(given.array(left_out, count, "entries of a mask"), count));
    });
}

int lisle_couple_points_free(lisle_couple_points **points) {
    return give_up(__func__, points);
}

int lisle_couple_weights_make(int64_t count, const int64_t places[], const int64_t sources[],
                              const double factors[], lisle_couple_weights **weights) {
    return answer(__func__, [&](const arguments &given) {
        given.array(places, count, "places of weights");
        given.array(sources, count, "sources of weights");
        given.array(factors, count, "factors of weights");
        auto made = std::make_unique<lisle_couple_weights>();
        for (int64_t at = 0; at != count; ++at) {
            made->inside.weights.push_back({places[at], sources[at], factors[at]});
        }
        auto &place = given(weights, "place of the weights");
        place = made.release();
    });
}

int lisle_couple_weights_overlap(MPI_Comm all, const lisle_couple_cells *from, const lisle_couple_cells *to,
                                 int normalisation, double period, lisle_couple_weights **weights) {
    constexpr std::array ways{couple::normalisation::whole_area, couple::normalisation::covered_area};
    static_assert(LISLE_COUPLE_WHOLE_AREA == 0 && LISLE_COUPLE_COVERED_AREA == 1);
    return answer(__func__, [&](const arguments &given) {
        if (normalisation < 0 || normalisation >= static_cast<int>(ways.size())) {
            reject("lisle_couple_weights_overlap: there is no normalisation " +
                   std::to_string(normalisation));
        }
        auto &place = given(weights, "place of the weights");
        place = new lisle_couple_weights{
            couple::overlap_weights(all, given(from, "handle of the sender's cells").inside,
                                    given(to, "handle of the receiver's cells").inside,
                                    ways[static_cast<std::size_t>(normalisation)], period)};
    });
}

int lisle_couple_weights_size(const lisle_couple_weights *weights, int64_t *entries, int64_t *cells) {
    return answer(__func__, [&](const arguments &given) {
        const auto &inside = given(weights, "handle of weights").inside;
        given(entries, "place of the number of entries") = static_cast<int64_t>(inside.weights.size());
        given(cells, "place of the number of cells") = static_cast<int64_t>(inside.covered.size());
    });
}

int lisle_couple_weights_entries(const lisle_couple_weights *weights, int64_t places[], int64_t sources[],
                                 double factors[]) {
    return answer(__func__, [&](const arguments &given) {
        const auto &all = given(weights, "handle of weights").inside.weights;
        const auto count = static_cast<int64_t>(all.size());
        given.array(places, count, "places of weights");
        given.array(sources, count, "sources of weights");
        given.array(factors, count, "factors of weights");
        for (const couple::weight &each : all) {
            *places++ = each.place;
            *sources++ = each.source;
            *factors++ = each.factor;
        }
    });
}

int lisle_couple_weights_covered(const lisle_couple_weights *weights, double covered[]) {
    return answer(__func__, [&](const arguments &given) {
        const auto &all = given(weights, "handle of weights").inside.covered;
        given.array(covered, static_cast<int64_t>(all.size()), "parts of cells");
        std::copy(all.begin(), all.end(), covered);
    });
}

int lisle_couple_weights_free(lisle_couple_weights **weights) {
    return give_up(__func__, weights);
}

int lisle_couple_cells_make(lisle_couple_cells **cells) {
    return answer(__func__, [&](const arguments &given) {
        auto &place = given(cells, "place of the cells");
        place = new lisle_couple_cells;
    });
}

int lisle_couple_cells_add(lisle_couple_cells *cells, int64_t number, int corners, const double x[],
                           const double y[]) {
    return answer(__func__, [&](const arguments &given) {
        given.array(x, corners, "corners of a cell");
        given.array(y, corners, "corners of a cell");
        std::vector<couple::corner> all;
        for (int at = 0; at != corners; ++at) {
            all.push_back({x[at], y[at]});
        }
        given(cells, "handle of cells").inside.add(number, all);
    });
}

int lisle_couple_cells_add_spherical(lisle_couple_cells *cells, int64_t number, double west, double east,
                                     double south, double north) {
    return answer(__func__, [&](const arguments &given) {
        given(cells, "handle of cells").inside.add_spherical(number, west, east, south, north);
    });
}

int lisle_couple_cells_free(lisle_couple_cells **cells) {
    return give_up(__func__, cells);
}
