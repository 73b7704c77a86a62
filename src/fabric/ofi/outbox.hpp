// SPDX-License-Identifier: Apache-2.0
// Frames for one process that wait to be sent: in order, but for urgent ones, which are in order among
// themselves and come first.
#pragma once

#include <deque>

#include "fabric/ofi/buffers.hpp"

namespace lisle::fabric::ofi {

/// Not thread-safe.
class outbox {
  public:
    [[nodiscard]] bool empty() const noexcept { return urgent_.empty() && others_.empty(); }
    [[nodiscard]] bool any_urgent() const noexcept { return !urgent_.empty(); }
    void add(buffer &filled) { (filled.urgent ? urgent_ : others_).push_back(&filled); }
    /// @pre not empty()
    [[nodiscard]] buffer &next() const noexcept {
        return *(urgent_.empty() ? others_.front() : urgent_.front());
    }
    /// @pre not empty()
    void remove_next() noexcept { (urgent_.empty() ? others_ : urgent_).pop_front(); }

  private:
    std::deque<buffer *> urgent_;
    std::deque<buffer *> others_;
};

} // namespace lisle::fabric::ofi
