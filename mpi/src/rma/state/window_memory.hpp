// SPDX-License-Identifier: Apache-2.0
// What a window holds of memory, and gives back when it is freed. Each class is empty, or the owner of one
// piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "fabric/remote_memory.hpp"
#include "fabric/shared_memory.hpp"

namespace lisle::rma {

/// Memory that the calling rank has allocated.
class window_memory {
  public:
    window_memory() = default;
    window_memory(window_memory &&other) noexcept;
    window_memory &operator=(window_memory &&other) noexcept;
    ~window_memory();

    /// Null: there is no room.
    /// @param heap where the other processes of the node reach it; null: anywhere
    [[nodiscard]] static window_memory allocate(shared_heap *heap, std::size_t bytes, std::size_t alignment);
    [[nodiscard]] std::byte *get() const noexcept { return memory_; }
    /// True if the node's other processes reach it by address.
    [[nodiscard]] bool open() const noexcept { return from_heap_; }

  private:
    std::byte *memory_ = nullptr;
    bool from_heap_ = false;
};

/// The calling rank's share of a block that the ranks of a node find under a key.
class block_share {
  public:
    block_share() = default;
    /// Asks for the block. @param sharers the ranks that ask for it
    block_share(fabric::shared_memory &medium, std::uint64_t key, std::size_t bytes, int sharers)
        : medium_{&medium}, key_{key}, sharers_{sharers}, block_{medium.block(key, bytes)} {}
    block_share(block_share &&other) noexcept { *this = std::move(other); }
    block_share &operator=(block_share &&other) noexcept;
    ~block_share();
    /// Null: there is no room.
    [[nodiscard]] std::byte *get() const noexcept { return block_; }

  private:
    fabric::shared_memory *medium_ = nullptr;
    std::uint64_t key_ = 0;
    int sharers_ = 0;
    std::byte *block_ = nullptr;
};

/// The calling rank's memory while ranks of other nodes may copy to and from it (fabric/remote_memory.hpp).
class exposed_memory {
  public:
    exposed_memory() = default;
    exposed_memory(fabric::remote_memory &by, const void *memory, std::size_t bytes)
        : by_{&by}, key_{by.expose(memory, bytes)} {}
    exposed_memory(exposed_memory &&other) noexcept : by_{other.by_}, key_{std::exchange(other.key_, {})} {}
    exposed_memory &operator=(exposed_memory &&other) noexcept {
        std::swap(by_, other.by_);
        std::swap(key_, other.key_);
        return *this;
    }
    ~exposed_memory() {
        if (key_) {
            by_->withdraw(*key_);
        }
    }
    /// Nothing: it is not exposed.
    [[nodiscard]] std::optional<fabric::memory_key> key() const noexcept { return key_; }

  private:
    fabric::remote_memory *by_ = nullptr;
    std::optional<fabric::memory_key> key_;
};

/// All that one rank's window holds. What is not used is empty.
struct held_memory {
    window_memory table; ///< the members' rows, at the rank that has made them
    block_share block;   ///< or the rows, where no rank could make them in its heap
    window_memory own;
    exposed_memory exposed;
};

} // namespace lisle::rma
