// SPDX-License-Identifier: Apache-2.0
// Copies of runs with masked instructions: right for every length, and nothing beside the runs is touched,
// even where the memory ends.
#include "datatype/masked_runs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

#include "lonely_pages.hpp"

using namespace lisle;

TEST(masked_runs, are_copied_and_nothing_else) {
    if (!moves_masked()) {
        GTEST_SKIP() << "this processor has no masked moves of bytes";
    }
    std::mt19937 random{1};
    for (int round = 0; round < 200; ++round) {
        // Runs and gaps of 0 to 70 bytes; the last run ends where the memory does.
        std::vector<std::int32_t> offsets;
        std::vector<MPI_Count> starts{0};
        std::int32_t next = 0;
        for (unsigned i = 0; i <= random() % 60; ++i) {
            offsets.push_back(next);
            starts.push_back(starts.back() + static_cast<MPI_Count>(random() % 71));
            next += static_cast<std::int32_t>(starts.back() - starts[starts.size() - 2] + random() % 71);
        }
        const auto count = offsets.size();
        const auto span = static_cast<std::size_t>(offsets.back() + starts[count] - starts[count - 1]);
        const auto total = static_cast<std::size_t>(starts.back());
        const lonely_pages scattered{4}, packed{2};
        std::byte *const typed = scattered.end() - span;
        std::byte *const together = packed.end() - total;
        std::generate(typed, scattered.end(), [&] { return static_cast<std::byte>(random()); });
        const std::vector<std::byte> before(scattered.begin(), scattered.end());
        const listed_runs runs{reinterpret_cast<std::uintptr_t>(typed), offsets.data(), starts.data(),
                               static_cast<MPI_Count>(count)};
        pack_masked(together, runs);
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_TRUE(std::equal(together + starts[i], together + starts[i + 1], typed + offsets[i]));
        }
        ASSERT_TRUE(std::all_of(packed.begin(), together, [](std::byte b) { return b == std::byte{0}; }));

        std::vector<std::byte> expected = before;
        std::byte *const copy = expected.data() + (typed - scattered.begin());
        std::for_each(together, packed.end(), [](std::byte &b) { b = ~b; });
        for (std::size_t i = 0; i < count; ++i) {
            std::copy(together + starts[i], together + starts[i + 1], copy + offsets[i]);
        }
        unpack_masked(together, runs);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), scattered.begin()));
    }
}
