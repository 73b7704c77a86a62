// SPDX-License-Identifier: Apache-2.0
// What several ranks ask for of a file, against a set of its bytes.
#include "file/run_union.hpp"

#include <iterator>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace lisle::file {
namespace {

std::vector<file_run> ascending_runs(std::mt19937 &random, int most) {
    std::vector<file_run> runs;
    MPI_Offset at = 0;
    for (auto left = random() % static_cast<unsigned>(most); left != 0; --left) {
        at += random() % 12;
        const MPI_Count bytes = 1 + random() % 9;
        runs.push_back({at, bytes});
        at += random() % 2 == 0 ? bytes : random() % static_cast<unsigned>(bytes + 1); // they may overlap
    }
    return runs;
}

TEST(run_union, holds_each_byte_once) {
    std::mt19937 random{5};
    for (int repetition = 0; repetition != 2000; ++repetition) {
        std::vector<std::vector<file_run>> lists(1 + random() % 5);
        std::vector<std::span<const file_run>> seen;
        std::set<MPI_Offset> bytes;
        for (auto &list : lists) {
            list = ascending_runs(random, 10);
            seen.emplace_back(list);
            for (const file_run &run : list) {
                for (MPI_Offset at = run.offset; at != run.end(); ++at) {
                    bytes.insert(at);
                }
            }
        }
        const run_union all{seen};
        ASSERT_EQ(all.bytes(), static_cast<MPI_Count>(bytes.size()));
        MPI_Offset last_end = -1;
        auto expected = bytes.begin();
        for (const file_run &run : all.runs()) {
            ASSERT_GT(run.offset, last_end) << "runs that touch are one";
            last_end = run.end();
            for (MPI_Offset at = run.offset; at != run.end(); ++at) {
                ASSERT_EQ(at, *expected++);
            }
        }
        MPI_Count place = 0;
        for (const MPI_Offset at : bytes) {
            ASSERT_EQ(all.offset_at(place++), at);
        }
        for (const auto &list : lists) {
            run_union::finder find{all};
            for (const file_run &run : list) {
                const auto before = std::distance(bytes.begin(), bytes.find(run.offset));
                ASSERT_EQ(find.place_of(run), static_cast<std::size_t>(before));
            }
        }
    }
}

TEST(run_union, of_nothing_is_empty) {
    EXPECT_EQ(run_union{{}}.bytes(), 0);
    EXPECT_TRUE((run_union{{std::span<const file_run>{}, {}}}.runs().empty()));
}

} // namespace
} // namespace lisle::file
