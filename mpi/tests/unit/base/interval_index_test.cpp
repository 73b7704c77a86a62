// SPDX-License-Identifier: Apache-2.0
#include "base/interval_index.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace lisle {
namespace {

using range = access_filter::range;

std::multiset<int> found_in(const interval_index<int> &index, range where) {
    std::multiset<int> found;
    index.each_meeting(where, [&](int value) { found.insert(value); });
    return found;
}

TEST(interval_index, finds_what_meets_and_nothing_else) {
    interval_index<int> index;
    index.add({100, 200}, 1);
    index.add({200, 201}, 2);
    index.add({0, 1}, 3);
    index.add({UINTPTR_MAX - 10, UINTPTR_MAX}, 4);
    index.add({150, 150}, 5); // empty
    EXPECT_EQ(found_in(index, {199, 200}), (std::multiset{1}));
    EXPECT_EQ(found_in(index, {199, 201}), (std::multiset{1, 2}));
    EXPECT_EQ(found_in(index, {0, 100}), (std::multiset{3}));
    EXPECT_EQ(found_in(index, {0, UINTPTR_MAX}), (std::multiset{1, 2, 3, 4}));
    EXPECT_EQ(found_in(index, {UINTPTR_MAX - 1, UINTPTR_MAX}), (std::multiset{4}));
    EXPECT_TRUE(found_in(index, {150, 150}).empty());
    index.remove({100, 200}, 1);
    index.remove({150, 150}, 5);
    EXPECT_TRUE(found_in(index, {100, 200}).empty());
}

TEST(interval_index, finds_what_a_look_at_all_finds) {
    std::mt19937 random{17};
    const auto any = [&](int most) {
        return static_cast<std::uintptr_t>(random() % static_cast<unsigned>(most));
    };
    for (int round = 0; round != 40; ++round) {
        interval_index<int> index;
        std::vector<range> all;
        std::vector<bool> there;
        for (int step = 0; step != 400; ++step) {
            const std::uintptr_t begin = any(5000);
            const range made{begin, begin + any(1 << any(13))};
            if (step % 3 != 2) {
                index.add(made, static_cast<int>(all.size()));
                all.push_back(made);
                there.push_back(true);
            } else if (const std::size_t which = any(static_cast<int>(all.size())); there[which]) {
                index.remove(all[which], static_cast<int>(which));
                there[which] = false;
            }
            std::multiset<int> expected;
            for (std::size_t which = 0; which != all.size(); ++which) {
                const range &each = all[which];
                if (there[which] && std::max(made.begin, each.begin) < std::min(made.end, each.end)) {
                    expected.insert(static_cast<int>(which));
                }
            }
            ASSERT_EQ(found_in(index, made), expected);
        }
    }
}

} // namespace
} // namespace lisle
