// SPDX-License-Identifier: Apache-2.0
// C's fixed points.
#include <algorithm>
#include <array>
#include <span>

#include "couple/c_interface/handles.hpp"

namespace couple = lisle::couple;
using couple::detail::answer;
using couple::detail::arguments;

namespace lisle::couple::detail {
namespace {

constexpr std::array accelerations{acceleration::none, acceleration::constant, acceleration::aitken,
                                   acceleration::quasi_newton};
static_assert(accelerations[LISLE_COUPLE_PLAIN] == acceleration::none &&
              accelerations[LISLE_COUPLE_CONSTANT] == acceleration::constant &&
              accelerations[LISLE_COUPLE_AITKEN] == acceleration::aitken &&
              accelerations[LISLE_COUPLE_QUASI_NEWTON] == acceleration::quasi_newton);

iteration_rule rule_of(const lisle_couple_iteration_rule &from) {
    if (from.how < 0 || from.how >= static_cast<int>(accelerations.size())) {
        reject("lisle_couple_fixed_point_make: there is no acceleration " + std::to_string(from.how));
    }
    return {.how = accelerations[static_cast<std::size_t>(from.how)],
            .relaxation = from.relaxation,
            .relative = from.relative,
            .absolute = from.absolute,
            .most = from.most,
            .reused_steps = from.reused_steps,
            .least_new = from.least_new};
}

std::vector<std::span<double>> parts_of(const arguments &given, int fields, double *const parts[],
                                        const int64_t sizes[]) {
    given.array(parts, fields, "parts of fields");
    given.array(sizes, fields, "sizes of parts");
    std::vector<std::span<double>> all;
    for (int at = 0; at != fields; ++at) {
        all.emplace_back(given.array(parts[at], sizes[at], "elements of a part"),
                         static_cast<std::size_t>(sizes[at]));
    }
    return all;
}

} // namespace
} // namespace lisle::couple::detail

using couple::detail::parts_of;

int lisle_couple_iteration_defaults(lisle_couple_iteration_rule *rule) {
    return answer(__func__, [&](const arguments &given) {
        const couple::iteration_rule all;
        const auto how = std::ranges::find(couple::detail::accelerations, all.how);
        given(rule, "rule") = {.relaxation = all.relaxation,
                               .relative = all.relative,
                               .absolute = all.absolute,
                               .least_new = all.least_new,
                               .how = static_cast<int>(how - couple::detail::accelerations.begin()),
                               .most = all.most,
                               .reused_steps = all.reused_steps};
    });
}

int lisle_couple_fixed_point_make(MPI_Comm ranks, const lisle_couple_iteration_rule *rule,
                                  lisle_couple_fixed_point **point) {
    return answer(__func__, [&](const arguments &given) {
        auto &place = given(point, "place of the fixed point");
        const auto how = rule == nullptr ? couple::iteration_rule{} : couple::detail::rule_of(*rule);
        place = new lisle_couple_fixed_point{couple::fixed_point{ranks, how}};
    });
}

int lisle_couple_fixed_point_begin(lisle_couple_fixed_point *point, int fields, double *const parts[],
                                   const int64_t sizes[]) {
    return answer(__func__, [&](const arguments &given) {
        given(point, "fixed point").inside.begin(parts_of(given, fields, parts, sizes));
    });
}

int lisle_couple_fixed_point_repeats(lisle_couple_fixed_point *point, int fields, double *const parts[],
                                     const int64_t sizes[], int *again) {
    return answer(__func__, [&](const arguments &given) {
        int &answered = given(again, "place of the answer");
        answered = given(point, "fixed point").inside.repeats(parts_of(given, fields, parts, sizes)) ? 1 : 0;
    });
}

int lisle_couple_fixed_point_progress(const lisle_couple_fixed_point *point, int *has_converged,
                                      int *iterations) {
    return answer(__func__, [&](const arguments &given) {
        const couple::fixed_point &inside = given(point, "fixed point").inside;
        given(has_converged, "place of the answer") = inside.has_converged() ? 1 : 0;
        given(iterations, "place of the number") = inside.iterations();
    });
}

int lisle_couple_fixed_point_history(const lisle_couple_fixed_point *point, double differences[]) {
    return answer(__func__, [&](const arguments &given) {
        const std::vector<double> &all = given(point, "fixed point").inside.history();
        given.array(differences, static_cast<int64_t>(all.size()), "differences");
        std::ranges::copy(all, differences);
    });
}

int lisle_couple_fixed_point_free(lisle_couple_fixed_point **point) {
    return couple::detail::give_up(__func__, point);
}
