// SPDX-License-Identifier: Apache-2.0
// Memory of a peer that is reached by address for a while: until this is gone, its owner does not take it
// away. An owner that forks waits for that (allocator/fork.cpp), so a pin lasts no longer than a copy.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lisle::fabric {

class pinned_memory {
  public:
    pinned_memory() noexcept = default;
    /// @param users counts this already; null: the memory stays anyway
    explicit pinned_memory(std::byte *address, std::atomic<std::uint32_t> *users = nullptr) noexcept
        : address_{address}, users_{users} {}
    pinned_memory(pinned_memory &&other) noexcept
        : address_{std::exchange(other.address_, nullptr)}, users_{std::exchange(other.users_, nullptr)} {}
    pinned_memory &operator=(pinned_memory &&other) noexcept {
        std::swap(address_, other.address_);
        std::swap(users_, other.users_);
        return *this;
    }
    ~pinned_memory() {
        if (users_ != nullptr) {
            users_->fetch_sub(1, std::memory_order_release); // the owner sees what has been written
        }
    }

    /// Where it lies here; null: it cannot be reached.
    [[nodiscard]] std::byte *address() const noexcept { return address_; }

  private:
    std::byte *address_ = nullptr;
    std::atomic<std::uint32_t> *users_ = nullptr;
};

} // namespace lisle::fabric
