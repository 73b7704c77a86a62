// SPDX-License-Identifier: Apache-2.0
// Memory that processes reach by address: two "processes" of one segment, in one program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "fabric/local/shared_heap.hpp"

namespace lisle {
namespace {

class shared_heap_test : public testing::Test {
  protected:
    static std::uint64_t address_of(const void *data) { return reinterpret_cast<std::uintptr_t>(data); }

    fabric::local::node_segment first_segment_ =
        fabric::local::node_segment::create({.ranks_of_process = {1, 1}});
    fabric::local::node_segment second_segment_ =
        fabric::local::node_segment::attach(dup(first_segment_.descriptor()));
    shared_heap first_{first_segment_, 0};
    shared_heap second_{second_segment_, 1};
};

TEST_F(shared_heap_test, is_found_at_another_address_by_the_other_process) {
    auto *const own = static_cast<char *>(first_.allocate(100'000));
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(address_of(own) % 4096, 0U);
    std::strcpy(own + 70'000, "written by one");
    std::byte *const there = second_.find(0, address_of(own + 70'000), 100);
    ASSERT_NE(there, nullptr);
    EXPECT_NE(address_of(there), address_of(own + 70'000));
    EXPECT_STREQ(reinterpret_cast<const char *>(there), "written by one");
    std::strcpy(reinterpret_cast<char *>(there), "and by the other");
    EXPECT_STREQ(own + 70'000, "and by the other");
    EXPECT_TRUE(shared_heap::release(own));
}

TEST_F(shared_heap_test, knows_what_is_not_in_it) {
    std::vector<char> elsewhere(100);
    EXPECT_EQ(second_.find(0, address_of(elsewhere.data()), 1), nullptr); // nothing is open yet
    auto *const own = static_cast<char *>(first_.allocate(8192));
    ASSERT_NE(own, nullptr);
    EXPECT_TRUE(first_.holds(own, 8192));
    EXPECT_FALSE(first_.holds(elsewhere.data(), 100));
    EXPECT_FALSE(second_.holds(own, 1));
    EXPECT_EQ(second_.find(0, address_of(elsewhere.data()), 1), nullptr);
    EXPECT_EQ(second_.find(0, address_of(own), ~std::size_t{0}), nullptr); // goes beyond the end
    EXPECT_EQ(second_.find(0, address_of(own) - 1, 1), nullptr);
    EXPECT_FALSE(shared_heap::release(elsewhere.data()));
    EXPECT_FALSE(shared_heap::release(own + 4096)); // not what was given
    EXPECT_TRUE(shared_heap::release(own));
    EXPECT_FALSE(shared_heap::release(own));
}

TEST_F(shared_heap_test, gives_zeroed_memory_that_does_not_overlap_whatever_is_freed_in_between) {
    struct piece {
        unsigned char *at;
        std::size_t bytes;
        unsigned char mark;
    };
    std::mt19937 random{7};
    std::vector<piece> live;
    const auto check_and_free = [&live](std::size_t i) {
        const piece ended = live[i];
        EXPECT_TRUE(
            std::all_of(ended.at, ended.at + ended.bytes, [&](unsigned char c) { return c == ended.mark; }));
        EXPECT_TRUE(shared_heap::release(ended.at));
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(i));
    };
    for (int step = 0; step < 2000; ++step) {
        if (live.size() > 20 || (!live.empty() && random() % 3 == 0)) {
            check_and_free(random() % live.size());
            continue;
        }
        const std::size_t bytes = 1 + random() % 60'000;
        auto *const at = static_cast<unsigned char *>(second_.allocate(bytes));
        ASSERT_NE(at, nullptr);
        ASSERT_TRUE(std::all_of(at, at + bytes, [](unsigned char c) { return c == 0; }));
        const auto mark = static_cast<unsigned char>(1 + step % 255);
        std::fill_n(at, bytes, mark);
        live.push_back({at, bytes, mark});
    }
    while (!live.empty()) {
        check_and_free(live.size() - 1);
    }
    // All of it is one hole again.
    const std::size_t all = second_segment_.heap_part(1).bytes;
    void *const whole = second_.allocate(all);
    EXPECT_NE(whole, nullptr);
    EXPECT_EQ(second_.allocate(1), nullptr);
    EXPECT_TRUE(shared_heap::release(whole));
    EXPECT_EQ(second_.allocate(all + 1), nullptr);
}

TEST(shared_heap_of_one_process, is_none) {
    const auto alone = fabric::local::node_segment::private_to_process({.ranks_of_process = {4}});
    shared_heap none{alone, 0};
    EXPECT_EQ(none.allocate(10'000), nullptr);
    EXPECT_EQ(none.find(0, 4096, 1), nullptr);
    EXPECT_FALSE(none.holds(&none, 1));
}

TEST(shared_heap_in_little_address_space, maps_what_it_can_and_lets_others_find_it) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer itself needs more address space";
#endif
    const auto gives_and_finds = [] {
        rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};
        if (setrlimit(RLIMIT_AS, &limit) != 0) {
            return false;
        }
        const auto one = fabric::local::node_segment::create({.ranks_of_process = {1, 1, 1, 1}});
        const auto other = fabric::local::node_segment::attach(dup(one.descriptor()));
        shared_heap first{one, 0};
        shared_heap second{other, 1};
        auto *const own = static_cast<char *>(first.allocate(std::size_t{32} << 20));
        if (own == nullptr || !first.holds(own, std::size_t{32} << 20) ||
            first.holds(own, std::size_t{1} << 30)) {
            return false;
        }
        own[5] = 'x';
        const std::byte *const there = second.find(0, reinterpret_cast<std::uintptr_t>(own + 5), 1);
        // More than there is room for is refused, and changes nothing.
        return there != nullptr && *there == std::byte{'x'} &&
               first.allocate(std::size_t{2} << 30) == nullptr && shared_heap::release(own) &&
               first.allocate(std::size_t{32} << 20) != nullptr;
    };
    EXPECT_EXIT(_exit(gives_and_finds() ? 0 : 1), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace lisle
