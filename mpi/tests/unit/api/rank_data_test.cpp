// SPDX-License-Identifier: Apache-2.0
// The table of a rank's objects: one for each function that makes one, whichever threads ask at once.
#include "api/rank_data_table.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lisle::api {
namespace {

std::vector<int> destroyed;

template <int Number> void *make() {
    return nullptr;
}
void note_end(void *data) {
    destroyed.push_back(*static_cast<int *>(data));
}

template <int... Numbers>
std::vector<MPIX_Rank_data_function *> makers(std::integer_sequence<int, Numbers...>) {
    return {&make<Numbers>...};
}
const auto functions = makers(std::make_integer_sequence<int, 100>{});

TEST(rank_data, is_found_by_its_function_and_ends_in_reverse_order) {
    rank_data_table table;
    std::vector<int> values(functions.size());
    EXPECT_TRUE(table.empty());
    for (std::size_t at = 0; at != functions.size(); ++at) {
        values[at] = static_cast<int>(at);
        EXPECT_EQ(table.find(functions[at]), nullptr);
        EXPECT_EQ(table.add({functions[at], note_end, &values[at], nullptr, nullptr})->data, &values[at]);
    }
    int other = -1;
    EXPECT_EQ(table.add({functions[7], note_end, &other, nullptr, nullptr})->data, &values[7])
        << "the first one stays";
    for (std::size_t at = 0; at != functions.size(); ++at) {
        ASSERT_NE(table.find(functions[at]), nullptr);
        EXPECT_EQ(table.find(functions[at])->data, &values[at]);
    }
    destroyed.clear();
    table.clear();
    ASSERT_EQ(destroyed.size(), functions.size());
    for (std::size_t at = 0; at != destroyed.size(); ++at) {
        EXPECT_EQ(destroyed[at], static_cast<int>(functions.size() - 1 - at));
    }
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.find(functions[0]), nullptr);
}

TEST(rank_data, threads_that_add_at_once_agree) {
    for (int repetition = 0; repetition != 50; ++repetition) {
        rank_data_table table;
        constexpr int threads = 3;
        std::vector<std::vector<int>> own(threads, std::vector<int>(functions.size()));
        std::vector<std::vector<void *>> got(threads, std::vector<void *>(functions.size()));
        std::vector<std::thread> all;
        for (int thread = 0; thread != threads; ++thread) {
            all.emplace_back([&, thread] {
                const auto mine = static_cast<std::size_t>(thread);
                for (std::size_t at = 0; at != functions.size(); ++at) {
                    const auto *entry = table.find(functions[at]);
                    entry = entry != nullptr
                                ? entry
                                : table.add({functions[at], nullptr, &own[mine][at], nullptr, nullptr});
                    got[mine][at] = entry->data;
                }
            });
        }
        for (std::thread &each : all) {
            each.join();
        }
        EXPECT_EQ(got[0], got[1]);
        EXPECT_EQ(got[0], got[2]);
        table.clear();
    }
}

TEST(rank_data, begins_once_each_time) {
    rank_data_table table;
    EXPECT_TRUE(table.begins());
    EXPECT_FALSE(table.begins());
    table.clear();
    EXPECT_TRUE(table.begins());
}

} // namespace
} // namespace lisle::api
