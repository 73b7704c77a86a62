// SPDX-License-Identifier: Apache-2.0
// Blocks of malloc's that another process reaches by address, and a fork that takes them away: two
// "processes" of one segment, in one program, of which the first has the preloaded allocator's region.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "allocator/block_region.hpp"
#include "base/spin_lock.hpp"
#include "fabric/local/peer_blocks.hpp"

using lisle::allocator::block_file;
using lisle::allocator::block_region;
using lisle::fabric::local::node_segment;
using lisle::fabric::local::peer_blocks;

namespace {

constinit block_region region;
bool is_preloaded = false;

} // namespace

/// The preloaded library's function, played.
extern "C" [[gnu::visibility("default"), gnu::used]] block_file lisle_block_file() noexcept {
    return is_preloaded ? region.file() : block_file{};
}

namespace {

constexpr std::size_t size = 300'000;

class peer_blocks_test : public testing::Test {
  protected:
    static std::uint64_t address_of(const void *data) { return reinterpret_cast<std::uintptr_t>(data); }
    static char *make_block() {
        auto *const block = static_cast<char *>(region.allocate(size, 4096, true));
        EXPECT_NE(block, nullptr);
        return block;
    }
    [[nodiscard]] lisle::fabric::pinned_memory pin(const char *block, std::size_t bytes = size) {
        return second_.pin(0, getpid(), address_of(block), bytes);
    }
    static peer_blocks make(const node_segment &segment, int process, bool preloaded) {
        is_preloaded = preloaded;
        return {segment, process};
    }

    node_segment first_segment_ = node_segment::create({.ranks_of_process = {1, 1}});
    node_segment second_segment_ = node_segment::attach(dup(first_segment_.descriptor()));
    peer_blocks first_ = make(first_segment_, 0, true);
    peer_blocks second_ = make(second_segment_, 1, false);
};

TEST_F(peer_blocks_test, are_found_at_another_address_by_the_other_process) {
    char *const block = make_block();
    std::strcpy(block + 200'000, "written by one");
    const auto there = second_.pin(0, getpid(), address_of(block + 200'000), 100);
    ASSERT_NE(there.address(), nullptr);
    EXPECT_NE(address_of(there.address()), address_of(block + 200'000));
    EXPECT_STREQ(reinterpret_cast<const char *>(there.address()), "written by one");
    std::strcpy(reinterpret_cast<char *>(there.address()), "and by the other");
    EXPECT_STREQ(block + 200'000, "and by the other");
    region.release(block);
}

TEST_F(peer_blocks_test, are_those_of_the_region_alone) {
    char *const block = make_block();
    const char elsewhere[100] = "";
    EXPECT_TRUE(first_.holds(block, size));
    EXPECT_FALSE(first_.holds(elsewhere, 100));
    EXPECT_FALSE(second_.holds(block, size)); // it has none itself
    EXPECT_EQ(pin(elsewhere, 1).address(), nullptr);
    EXPECT_EQ(pin(block, ~std::size_t{0}).address(), nullptr);
    EXPECT_EQ(pin(block, std::size_t{1} << 50).address(), nullptr);
    EXPECT_EQ(first_.pin(1, getpid(), address_of(block), size).address(), nullptr);
    EXPECT_EQ(first_.pin(0, getpid(), address_of(block), size).address(), nullptr); // its own
    region.release(block);
}

TEST_F(peer_blocks_test, are_not_looked_for_in_another_file) {
    char *const block = make_block();
    const block_file file = region.file();
    const int kept = dup(file.descriptor), other = open("/dev/null", O_RDWR);
    dup2(other, file.descriptor); // the program has closed all, and opened something
    EXPECT_EQ(pin(block).address(), nullptr);
    dup2(kept, file.descriptor);
    EXPECT_EQ(pin(block).address(), nullptr); // nobody asks again
    close(kept), close(other);
    region.release(block);
}

TEST_F(peer_blocks_test, stay_while_a_peer_copies_and_are_private_after_a_fork) {
    char *const block = make_block();
    block[5] = 'a';
    auto there = pin(block);
    ASSERT_NE(there.address(), nullptr);
    std::atomic<bool> may_fork{false}, ended{false};
    std::thread forking{[&] {
        region.before_fork();
        may_fork = true;
        lisle::wait_while([&] { return !ended.load(); });
        region.after_fork_here();
    }};
    lisle::wait_while([&] { return first_.holds(block, size); });
    EXPECT_EQ(pin(block).address(), nullptr); // others come too late
    EXPECT_FALSE(may_fork.load());
    there.address()[6] = std::byte{'b'};
    there = {};
    lisle::wait_while([&] { return !may_fork.load(); });
    EXPECT_EQ(std::strncmp(block + 5, "ab", 3), 0);
    block[7] = 'c';
    ended = true;
    forking.join();
    EXPECT_EQ(std::strncmp(block + 5, "abc", 4), 0);
    EXPECT_EQ(pin(block).address(), nullptr);
    char *const fresh = make_block();
    EXPECT_NE(pin(fresh).address(), nullptr);
    region.release(block);
    region.release(fresh);
}

TEST_F(peer_blocks_test, are_emptied_when_they_are_freed) {
    constexpr std::size_t much = std::size_t{40} << 20;
    auto *const block = static_cast<char *>(region.allocate(much, 4096, false));
    std::memset(block, 1, much);
    region.release(block);
    const auto there = second_.pin(0, getpid(), address_of(block), much);
    ASSERT_NE(there.address(), nullptr);
    EXPECT_EQ(there.address()[much / 2], std::byte{0});
}

} // namespace
