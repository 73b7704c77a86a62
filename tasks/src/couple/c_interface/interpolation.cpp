// SPDX-License-Identifier: Apache-2.0
// C's weights for values at points, and its weights in files.
#include <array>
#include <utility>

#include <lisle/couple/weight_file.hpp>

#include "couple/c_interface/handles.hpp"

namespace couple = lisle::couple;
using couple::detail::answer;
using couple::detail::arguments;
using couple::detail::give_up;
using couple::detail::reject;

namespace {

std::vector<couple::located_point> points_of(const arguments &given, const lisle_couple_located *from,
                                             const char *what) {
    const lisle_couple_located &all = given(from, what);
    given.array(all.numbers, all.count, "numbers of points");
    given.array(all.x, all.count, "places of points");
    given.array(all.y, all.count, "places of points");
    std::vector<couple::located_point> points;
    for (int64_t at = 0; at != all.count; ++at) {
        points.push_back({all.numbers[at], {all.x[at], all.y[at]}});
    }
    return points;
}

/// What a number of C stands for.
template <class Choice, std::size_t Count>
Choice chosen(const std::array<Choice, Count> &from, int number, const char *call, const char *what) {
    if (number < 0 || number >= static_cast<int>(Count)) {
        reject(std::string{call} + ": there is no " + what + " " + std::to_string(number));
    }
    return from[static_cast<std::size_t>(number)];
}

lisle_couple_weights *handle_of(couple::interpolation_weights made) {
    return new lisle_couple_weights{{std::move(made.weights), {}}, std::move(made.missed)};
}

} // namespace

int lisle_couple_weights_nearest(MPI_Comm all, const lisle_couple_located *from,
                                 const lisle_couple_located *to, int surface, double period, int neighbours,
                                 double power, lisle_couple_weights **weights) {
    static_assert(LISLE_COUPLE_PLANE == 0 && LISLE_COUPLE_SPHERE == 1);
    return answer(__func__, [&, call = __func__](const arguments &given) {
        auto &place = given(weights, "place of the weights");
        const std::array surfaces{couple::surface::plane, couple::surface::sphere};
        place = handle_of(couple::nearest_weights(
            all, points_of(given, from, "sender's points"), points_of(given, to, "receiver's points"),
            {chosen(surfaces, surface, call, "surface"), period, neighbours, power}));
    });
}

int lisle_couple_weights_bilinear(MPI_Comm all, const lisle_couple_elements *from,
                                  const lisle_couple_located *to, int masked, double period,
                                  lisle_couple_weights **weights) {
    static_assert(LISLE_COUPLE_LOSE_WEIGHT == 0 && LISLE_COUPLE_RESCALE == 1);
    return answer(__func__, [&, call = __func__](const arguments &given) {
        auto &place = given(weights, "place of the weights");
        const std::array ways{couple::masked_corners::lose_weight, couple::masked_corners::rescale};
        place = handle_of(couple::bilinear_weights(
            all, given(from, "handle of elements").inside, points_of(given, to, "receiver's points"),
            {period, chosen(ways, masked, call, "way with masked corners")}));
    });
}

int lisle_couple_weights_missed(const lisle_couple_weights *weights, int64_t *count, int64_t places[]) {
    return answer(__func__, [&](const arguments &given) {
        const auto &missed = given(weights, "handle of weights").missed;
        given(count, "place of the number of places") = static_cast<int64_t>(missed.size());
        if (places != nullptr) {
            std::copy(missed.begin(), missed.end(), places);
        }
    });
}

int lisle_couple_elements_make(lisle_couple_elements **elements) {
    return answer(__func__, [&](const arguments &given) {
        auto &place = given(elements, "place of the elements");
        place = new lisle_couple_elements;
    });
}

int lisle_couple_elements_add(lisle_couple_elements *elements, int corners, const int64_t points[],
                              const double x[], const double y[], const unsigned char masked[]) {
    return answer(__func__, [&](const arguments &given) {
        given.array(points, corners, "points of an element");
        given.array(x, corners, "corners of an element");
        given.array(y, corners, "corners of an element");
        std::vector<couple::vertex> all;
        for (int at = 0; at < corners; ++at) {
            all.push_back({points[at], {x[at], y[at]}, masked != nullptr && masked[at] != 0});
        }
        given(elements, "handle of elements").inside.add(all);
    });
}

int lisle_couple_elements_free(lisle_couple_elements **elements) {
    return give_up(__func__, elements);
}

int lisle_couple_weights_read(MPI_Comm all, const char *path, const lisle_couple_points *wanted,
                              int64_t sender_points, lisle_couple_weights **weights) {
    return answer(__func__, [&](const arguments &given) {
        auto &place = given(weights, "place of the weights");
        place = new lisle_couple_weights{
            {couple::read_weights(all, given.text(path, "name of the file"),
                                  given(wanted, "handle of points").inside, sender_points),
             {}},
            {}};
    });
}

int lisle_couple_weights_write(MPI_Comm all, const char *path, const lisle_couple_weights *weights,
                               const lisle_couple_points *wanted, int64_t sender_points, int format) {
    static_assert(LISLE_COUPLE_TEXT == 0 && LISLE_COUPLE_SCRIP == 1 && LISLE_COUPLE_ESMF == 2);
    return answer(__func__, [&, call = __func__](const arguments &given) {
        const std::array forms{couple::weight_format::text, couple::weight_format::scrip,
                               couple::weight_format::esmf};
        couple::write_weights(
            all, given.text(path, "name of the file"), given(weights, "handle of weights").inside.weights,
            given(wanted, "handle of points").inside, sender_points, chosen(forms, format, call, "format"));
    });
}
