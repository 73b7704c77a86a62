// SPDX-License-Identifier: Apache-2.0
// Categories: everything is in exactly one, and the first leads to all others.
#include <gtest/gtest.h>
#include <set>
#include <string_view>

#include "tool/category.hpp"
#include "tool/control.hpp"
#include "tool/event.hpp"
#include "tool/performance.hpp"

using namespace lisle;
using namespace lisle::tool;

namespace {

/// How often each of `count` things is in a category's list.
std::vector<int> times_listed(std::size_t count, std::vector<int> category::*list) {
    std::vector<int> found(count, 0);
    for (const category &each : all_categories()) {
        for (const int index : each.*list) {
            ++found.at(static_cast<std::size_t>(index));
        }
    }
    return found;
}

const category &category_named(std::string_view name) {
    return all_categories()[static_cast<std::size_t>(index_of(all_categories(), name))];
}

} // namespace

TEST(category, holds_each_variable_and_event_once) {
    EXPECT_EQ(times_listed(control_variables().size(), &category::controls),
              std::vector<int>(control_variables().size(), 1));
    EXPECT_EQ(times_listed(performance_variables().size(), &category::performances),
              std::vector<int>(performance_variables().size(), 1));
    EXPECT_EQ(times_listed(event_types().size(), &category::events),
              std::vector<int>(event_types().size(), 1));
}

TEST(category, is_reached_from_the_first_one) {
    std::vector<int> expected(all_categories().size(), 1);
    expected.front() = 0;
    EXPECT_EQ(times_listed(all_categories().size(), &category::categories), expected);
    EXPECT_EQ(all_categories().front().categories.size(), all_categories().size() - 1);
}

TEST(category, has_a_name_of_its_own_and_a_meaning) {
    std::set<std::string_view> names;
    for (const category &each : all_categories()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_STRNE(each.meaning, "") << each.name;
    }
}

TEST(category, of_collectives_has_all_settings_that_choose_an_algorithm) {
    const std::vector<int> &controls = category_named("lisle_collectives").controls;
    ASSERT_EQ(controls.size(), static_cast<std::size_t>(collective_operation::count) + 1);
    for (const int index : controls) {
        const setting which = control_variables()[static_cast<std::size_t>(index)].which;
        EXPECT_TRUE(is_algorithm(which) || which == setting::collectives);
    }
}
