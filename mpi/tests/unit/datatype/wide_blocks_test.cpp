// SPDX-License-Identifier: Apache-2.0
// Copies of equally long blocks by wide loads and stores: right for every length and alignment, and nothing
// beside the blocks is touched, even where the memory ends.
#include "datatype/wide_blocks.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "lonely_pages.hpp"

using namespace lisle;

namespace {

struct strided_place {
    lonely_pages memory{10};
    std::size_t stride;
    std::byte *first;
    /// The last block ends where the memory does, or the first begins where it does.
    strided_place(std::size_t length, std::size_t gap, std::size_t count, bool at_end)
        : stride{length + gap}, first{at_end ? memory.end() - (count - 1) * stride - length
                                             : memory.begin()} {}
    [[nodiscard]] strided_blocks blocks() const {
        return {reinterpret_cast<std::uintptr_t>(first), static_cast<MPI_Count>(stride)};
    }
};

} // namespace

TEST(wide_blocks, are_copied_and_nothing_else) {
    if (!moves_wide(512)) {
        GTEST_SKIP() << "this processor has no loads of 32 bytes";
    }
    std::mt19937 random{1};
    for (std::size_t length = 64; moves_wide(length); ++length) {
        const std::size_t count = 1 + random() % 9;
        const strided_place from{length, random() % 100, count, random() % 2 == 0},
            to{length, random() % 100, count, random() % 2 == 0};
        std::generate(from.memory.begin(), from.memory.end(),
                      [&] { return static_cast<std::byte>(random()); });
        std::generate(to.memory.begin(), to.memory.end(), [&] { return static_cast<std::byte>(random()); });
        std::vector<std::byte> expected(to.memory.begin(), to.memory.end());
        for (std::size_t i = 0; i < count; ++i) {
            std::copy_n(from.first + i * from.stride, length,
                        expected.begin() + (to.first - to.memory.begin()) +
                            static_cast<std::ptrdiff_t>(i * to.stride));
        }
        move_wide(to.blocks(), from.blocks(), length, static_cast<MPI_Count>(count));
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to.memory.begin())) << length;
    }
}

TEST(wide_blocks, have_lengths_for_which_they_pay) {
    EXPECT_FALSE(moves_wide(0));
    EXPECT_FALSE(moves_wide(63));
    EXPECT_FALSE(moves_wide(1 << 20));
}
