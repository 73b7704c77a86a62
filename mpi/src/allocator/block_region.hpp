// SPDX-License-Identifier: Apache-2.0
// The large blocks of a program in memory that the node's other processes can map (shared_blocks.hpp): a file
// without a name, a table of its pages, and what a fork makes of both. Nothing here calls an allocator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "allocator/page_extents.hpp"
#include "allocator/shared_blocks.hpp"

namespace lisle::allocator {

/// Thread-safe. There is one in a process (own_blocks), which is never destroyed: programs free memory until
/// the very end.
class block_region {
  public:
    constexpr block_region() = default;

    /// True if the address lies in the region, so that a block there is one of these.
    [[nodiscard]] bool holds(const void *address) const noexcept {
        return reinterpret_cast<std::uintptr_t>(address) - base_.load(std::memory_order_relaxed) <
               bytes_.load(std::memory_order_relaxed);
    }
    /// A block that begins at a multiple of `alignment`, a power of two. Null: there is no room, or no
    /// region.
    /// @param zeroed all bytes are to be 0
    [[nodiscard]] void *allocate(std::size_t bytes, std::size_t alignment, bool zeroed) noexcept;
    /// The functions below end the process if no block begins there.
    void release(void *block) noexcept;
    [[nodiscard]] std::size_t size_of(const void *block) noexcept;
    /// Makes a block longer or shorter where it is. False: there is no room.
    [[nodiscard]] bool resize(void *block, std::size_t bytes) noexcept;

    /// The file, for the library.
    [[nodiscard]] block_file file() noexcept;

    /// Around a fork, in this order; the process of before_fork() goes on with after_fork_here(), also if the
    /// fork has failed. Until then its other threads wait in all functions above that change something.
    void before_fork() noexcept;
    void after_fork_here() noexcept;
    void after_fork_in_child() noexcept;

  private:
    class hold;
    using page_number = page_extents::page_number;

    [[nodiscard]] bool make() noexcept;
    [[nodiscard]] bool map(std::size_t bytes) noexcept;
    [[nodiscard]] bool open_up_to(std::size_t end) noexcept;
    [[nodiscard]] std::byte *at(page_number page) const noexcept {
        return reinterpret_cast<std::byte *>(base_.load(std::memory_order_relaxed)) +
               std::size_t{page} * shared_blocks::page;
    }
    [[nodiscard]] page_extents::taken take(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] page_number block_at(const void *block) const noexcept;
    [[nodiscard]] bool file_is_open() const noexcept;
    void take_back(page_number block, page_extents::given freed) noexcept;
    [[nodiscard]] bool clean(page_number first) noexcept;
    void make_private() noexcept;

    // Relaxed, both: an address of the region comes from the thread that made it.
    std::atomic<std::uintptr_t> base_{0};
    std::atomic<std::size_t> bytes_{0};

    // Protects what follows. A thread that forks may come again: other libraries do something around a fork.
    pthread_mutex_t lock_ = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    bool tried_ = false;      ///< to make the region
    bool forking_ = false;    ///< the thread that holds the lock is about to fork
    bool is_private_ = false; ///< in a process that another one has forked
    page_extents::entry *table_ = nullptr;
    page_extents pages_{};
    page_number open_ = 0; ///< pages below can be accessed, and their entries of the table
    std::byte *private_view_ =
        nullptr; ///< the file once more, private and not accessible: see make_private()
    shared_blocks *head_ = nullptr;
    int descriptor_ = -1;
    std::uint64_t device_ = 0, inode_ = 0;
};

/// That of this process.
[[nodiscard]] block_region &own_blocks() noexcept;

} // namespace lisle::allocator
