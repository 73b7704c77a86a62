// SPDX-License-Identifier: Apache-2.0
// Puts and gets by the network alone, where it copies to and from the memory of other nodes without the
// owner's help (fabric/remote_memory.hpp). Each member exposes its part when the window is made and tells the
// key in its row of the table. Data that lie in one piece at the target go this way; all else are requests
// (messages/).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "fabric/remote_memory.hpp"
#include "rma/target.hpp"

namespace lisle::protocol {
class request;
}

namespace lisle::rma {

class window;

/// The calling rank's memory while its peers may copy to and from it.
class exposed_memory {
  public:
    exposed_memory() = default;
    exposed_memory(fabric::remote_memory &by, const void *memory, std::size_t bytes)
        : by_{&by}, key_{by.expose(memory, bytes)} {}
    exposed_memory(exposed_memory &&other) noexcept : by_{other.by_}, key_{other.key_} { other.key_.reset(); }
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
    [[nodiscard]] std::optional<fabric::memory_key> key() const noexcept { return key_; }

  private:
    fabric::remote_memory *by_ = nullptr;
    std::optional<fabric::memory_key> key_;
};

/// One window's copies. Any thread of the rank may call.
class remote_copies {
  public:
    explicit remote_copies(window &on) noexcept : on_{on} {}

    /// Starts a copy of the data, which the request completes: a put when its bytes are at the target.
    /// @param address of the target's data, in its own terms
    /// @return the request, which the caller waits for or frees; null: not possible, find another way
    [[nodiscard]] protocol::request *put(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address);
    [[nodiscard]] protocol::request *get(const typed_buffer &origin, const target_data &target,
                                         std::uint64_t address);

    /// Returns when all copies that were started before are complete, whatever their target. Throws what
    /// went wrong.
    void flush() {
        // Acquire: pairs with the end of the last copy, whose data are seen.
        if (under_way_.load(std::memory_order_acquire) != 0 || failed_.load(std::memory_order_relaxed) >= 0)
            [[unlikely]] {
            wait();
        }
    }

  private:
    class copy;
    [[nodiscard]] protocol::request *start(const typed_buffer &origin, const target_data &target,
                                           std::uint64_t address, bool reads);
    void wait();

    window &on_;
    std::atomic<unsigned> under_way_{0};
    std::atomic<int> failed_{
        -1}; ///< a target to which a copy has failed since the last flush; relaxed: a hint
};

} // namespace lisle::rma
