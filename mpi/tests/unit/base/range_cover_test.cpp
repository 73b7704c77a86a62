// SPDX-License-Identifier: Apache-2.0
#include "base/range_cover.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace lisle {
namespace {

using range = range_cover::range;

TEST(range_cover, keeps_the_longest_gaps) {
    range_cover cover{2};
    cover.add({100, 110});
    cover.add({300, 310});
    cover.add({120, 130});
    ASSERT_EQ(cover.few().size(), 2U);
    EXPECT_EQ(cover.few()[0].begin, 100U);
    EXPECT_EQ(cover.few()[0].end, 130U);
    EXPECT_EQ(cover.few()[1].begin, 300U);
    cover.remove({300, 310});
    cover.remove({120, 130});
    ASSERT_EQ(cover.few().size(), 1U);
    EXPECT_EQ(cover.few()[0].end, 110U);
    cover.remove({100, 110});
    EXPECT_TRUE(cover.few().empty());
}

TEST(range_cover, covers_all_with_few_in_order) {
    constexpr std::size_t most = 16;
    std::mt19937 random{5};
    for (int round = 0; round != 30; ++round) {
        range_cover cover{most};
        std::vector<range> there;
        for (int step = 0; step != 600; ++step) {
            if (random() % 5 < 3 || there.empty()) {
                const std::uintptr_t begin = random() % 100'000;
                const range added{begin, begin + 1 + random() % 300};
                cover.add(added);
                there.push_back(added);
            } else {
                const std::size_t which = random() % there.size();
                cover.remove(there[which]);
                there.erase(there.begin() + static_cast<std::ptrdiff_t>(which));
            }
            const auto few = cover.few();
            ASSERT_LE(few.size(), most);
            for (std::size_t at = 1; at < few.size(); ++at) {
                ASSERT_LT(few[at - 1].end, few[at].begin);
            }
            ASSERT_TRUE(std::ranges::all_of(there, [&](const range &each) {
                return std::ranges::any_of(few, [&](const range &covering) {
                    return covering.begin <= each.begin && each.end <= covering.end;
                });
            }));
        }
        for (const range &each : there) {
            cover.remove(each);
        }
        EXPECT_TRUE(cover.few().empty());
    }
}

} // namespace
} // namespace lisle
