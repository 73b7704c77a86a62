// SPDX-License-Identifier: Apache-2.0
// Memory with none before and after it: what reads or writes beside a buffer at its edge is killed.
#pragma once

#include <cstddef>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace lisle {

/// `pages` of memory.
class lonely_pages {
  public:
    explicit lonely_pages(std::size_t pages) : bytes_{pages * page} {
        whole_ = static_cast<std::byte *>(
            mmap(nullptr, bytes_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        EXPECT_EQ(mprotect(begin(), bytes_, PROT_READ | PROT_WRITE), 0);
    }
    lonely_pages(const lonely_pages &) = delete;
    lonely_pages &operator=(const lonely_pages &) = delete;
    ~lonely_pages() { munmap(whole_, bytes_ + 2 * page); }
    [[nodiscard]] std::byte *begin() const { return whole_ + page; }
    [[nodiscard]] std::byte *end() const { return begin() + bytes_; }

  private:
    static constexpr std::size_t page = 4096;
    std::size_t bytes_;
    std::byte *whole_;
};

} // namespace lisle
