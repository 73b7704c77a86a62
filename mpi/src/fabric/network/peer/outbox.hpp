// SPDX-License-Identifier: Apache-2.0
// Frames for one process that wait to be sent: in order, but for urgent ones, which are in order among
// themselves and come first. Before all come those that a failed rail may have lost.
#pragma once

#include <deque>
#include <utility>

#include "fabric/network/rail/buffers.hpp"

namespace lisle::fabric::network {

/// Not thread-safe.
class outbox {
  public:
    [[nodiscard]] bool empty() const noexcept { return first().empty(); }
    [[nodiscard]] bool any_urgent() const noexcept { return !again_.empty() || !urgent_.empty(); }
    void add(buffer &filled) { (filled.urgent ? urgent_ : others_).push_back(&filled); }
    /// @pre not empty()
    [[nodiscard]] buffer &next() const noexcept { return *first().front(); }
    /// @pre not empty()
    void remove_next() noexcept {
        (!again_.empty() ? again_ : !urgent_.empty() ? urgent_ : others_).pop_front();
    }
    /// What is to be sent once more, in order.
    void send_again(std::deque<buffer *> lost) noexcept { again_ = std::move(lost); }
    /// Forgets a frame that is to be sent once more, if it is one.
    void forget(const buffer &acknowledged) noexcept { std::erase(again_, &acknowledged); }

  private:
    using queue = std::deque<buffer *>;
    [[nodiscard]] const queue &first() const noexcept {
        return !again_.empty() ? again_ : !urgent_.empty() ? urgent_ : others_;
    }
    queue again_;
    queue urgent_;
    queue others_;
};

} // namespace lisle::fabric::network
