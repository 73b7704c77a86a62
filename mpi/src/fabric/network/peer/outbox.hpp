// SPDX-License-Identifier: Apache-2.0
// Frames for one process that wait to be sent: in order, but for urgent ones, which are in order among
// themselves and come first. Before all come those that a failed rail may have lost.
#pragma once

#include <cstddef>

#include "base/ring.hpp"
#include "fabric/network/rail/buffers.hpp"

namespace lisle::fabric::network {

/// Not thread-safe.
class outbox {
  public:
    [[nodiscard]] bool empty() const noexcept { return first().empty(); }
    [[nodiscard]] bool any_urgent() const noexcept { return !again_.empty() || !urgent_.empty(); }
    /// From now on so many frames in each order find room.
    void reserve(std::size_t frames) {
        for (queue *const each : {&again_, &urgent_, &others_}) {
            each->reserve(frames);
        }
    }
    void add(buffer &filled) { (filled.urgent ? urgent_ : others_).push_back(&filled); }
    /// @pre not empty()
    [[nodiscard]] buffer &next() const noexcept { return *first().front(); }
    /// @pre not empty()
    void remove_next() noexcept {
        (!again_.empty() ? again_ : !urgent_.empty() ? urgent_ : others_).pop_front();
    }
    /// What is to be sent once more, in order.
    void send_again(const ring<buffer *> &lost) {
        again_.clear();
        for (std::size_t place = 0; place != lost.size(); ++place) {
            again_.push_back(lost[place]);
        }
    }
    /// Forgets a frame that is to be sent once more, if it is one.
    void forget(buffer &acknowledged) noexcept { again_.erase(&acknowledged); }

  private:
    using queue = ring<buffer *>;
    [[nodiscard]] const queue &first() const noexcept {
        return !again_.empty() ? again_ : !urgent_.empty() ? urgent_ : others_;
    }
    queue again_;
    queue urgent_;
    queue others_;
};

} // namespace lisle::fabric::network
