// SPDX-License-Identifier: Apache-2.0
// Buffers that stand ready for messages, and how many connections wait for one.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fabric/network/device/device.hpp"

namespace lisle::fabric::network {

/// Where a message may be received to.
struct posted_receive {
    std::span<std::byte> room;
    operation *op = nullptr;
};

/// Not thread-safe.
class posted_receives {
  public:
    void add(const posted_receive &one) {
        give_back(one);
        longest_ = std::max(longest_, one.room.size());
    }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    /// @pre not empty(). The one that was added last: it is in the caches.
    [[nodiscard]] posted_receive take() noexcept {
        const posted_receive taken = all_.back();
        all_.pop_back();
        return taken;
    }
    /// One that was taken, and not used.
    void give_back(const posted_receive &one) { all_.push_back(one); }
    /// Longest message that can be received.
    [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

    /// A connection has a message for which there is no buffer, or has it no more.
    void begin_waiting() noexcept { ++waiting_; }
    void end_waiting() noexcept { --waiting_; }
    [[nodiscard]] bool any_waits() const noexcept { return waiting_ != 0; }

    void close() noexcept {
        all_.clear();
        waiting_ = 0;
    }

  private:
    std::vector<posted_receive> all_;
    std::size_t longest_ = 0;
    std::size_t waiting_ = 0; ///< connections
};

} // namespace lisle::fabric::network
