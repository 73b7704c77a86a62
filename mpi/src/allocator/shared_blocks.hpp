// SPDX-License-Identifier: Apache-2.0
// What the preloaded allocator (entry_points.cpp) and the library know of each other: where the large blocks
// of a program lie, in a file without a name that the node's other processes can map. The first page of the
// file is this description, which they read too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lisle::allocator {

/// In the first page of the file, whose owner alone writes all but `users`.
struct shared_blocks {
    static constexpr std::uint64_t magic_number = 0x4c49534c45424c4b;
    static constexpr std::size_t page = 4096;

    std::uint64_t magic;
    std::uint64_t base;  ///< where the owner has mapped the file's first byte
    std::uint64_t bytes; ///< of the file
    /// Offset from which on the owner's blocks lie in the file. Those before it do so no more: a fork moves
    /// it up (block_region::before_fork). Sequentially consistent, as is `users`: either a peer that has
    /// counted itself sees that it moved, or the owner sees that peer and waits for it.
    std::atomic<std::uint64_t> first;
    /// Peers that use blocks by address just now. In a line of its own: peers write it for each message.
    alignas(64) std::atomic<std::uint32_t> users;

    /// True if these bytes of the owner's lie in the file.
    [[nodiscard]] bool hold(std::uint64_t address, std::size_t length) const noexcept {
        const std::uint64_t offset = address - base;
        return offset < bytes && offset >= first.load(std::memory_order_seq_cst) && length <= bytes - offset;
    }
};

/// The file, as others open it: by its descriptor in the owner, which may be another file's by then.
struct block_file {
    shared_blocks *blocks; ///< null: there are none, and never will be
    int descriptor;
    std::uint64_t device;
    std::uint64_t inode;
};

/// The function of the preloaded library that tells of this process's, and makes it if need be.
inline constexpr const char *block_file_function = "lisle_block_file";
using block_file_of_process = block_file() noexcept;

} // namespace lisle::allocator
