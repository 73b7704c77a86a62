// SPDX-License-Identifier: Apache-2.0
// The large blocks of malloc's that the processes of a node reach by address, where lislerun has preloaded an
// allocator that makes them so (allocator/shared_blocks.hpp). Each process tells in the node's segment which
// of its files holds its blocks; others open it through /proc and map it when they first have to do with one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <sys/types.h>
#include <vector>

#include "allocator/shared_blocks.hpp"
#include "fabric/local/node_segment.hpp"
#include "fabric/pinned_memory.hpp"

namespace lisle::fabric::local {

/// Thread-safe.
class peer_blocks {
  public:
    /// Tells the others of this process's blocks. @param segment outlives this @param process index of the
    /// calling process on its node
    peer_blocks(const node_segment &segment, int process);
    peer_blocks(const peer_blocks &) = delete;
    peer_blocks &operator=(const peer_blocks &) = delete;
    ~peer_blocks();

    /// True if these bytes of this process's lie in such a block.
    [[nodiscard]] bool holds(const void *data, std::size_t bytes) const noexcept {
        return own_.blocks != nullptr && own_.blocks->hold(reinterpret_cast<std::uintptr_t>(data), bytes);
    }
    /// The bytes at an address of another process. @param pid its number
    [[nodiscard]] pinned_memory pin(int process, pid_t pid, std::uint64_t address,
                                    std::size_t bytes) noexcept;

  private:
    struct mapping {
        /// Null: not mapped yet. Release when it is, acquire where used.
        std::atomic<allocator::shared_blocks *> blocks{nullptr};
        std::size_t bytes = 0; ///< written before
        /// How many of them can be accessed: the same orders.
        std::atomic<std::size_t> open{0};
        bool refused = false; ///< with the lock: it cannot be mapped
    };
    [[nodiscard]] allocator::shared_blocks *map(int process, pid_t pid) noexcept;
    [[nodiscard]] static bool open_up_to(mapping &of, std::size_t end, void *base) noexcept;

    const node_segment &segment_;
    int process_;
    allocator::block_file own_{};
    std::mutex mutex_; ///< held while mappings change
    std::vector<mapping> others_;
};

} // namespace lisle::fabric::local
