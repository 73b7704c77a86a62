// SPDX-License-Identifier: Apache-2.0
// The buffer of a virtual channel: words of packets, each with the cycle from which on it may go on.
#pragma once

#include <array>
#include <cstdint>

#include "tile/network/parameters.hpp"

namespace lisle::tile {

/// A word under way. Its value stays with its packet.
struct flit {
    int packet = -1;
    std::uint8_t place = 0; ///< 0: the header
    bool last = false;
    cycle ready = 0; ///< it may leave the router that it is in from this cycle on
};

class lane_buffer {
  public:
    static constexpr int most_words = 16;

    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] int high_water() const noexcept { return high_water_; }
    /// @pre not empty
    [[nodiscard]] const flit &front() const noexcept { return words_[first_]; }
    /// @pre not empty
    [[nodiscard]] const flit &back() const noexcept { return words_[(first_ + size_ - 1) % most_words]; }
    /// @pre fewer than most_words
    void push(const flit &pushed) noexcept {
        words_[(first_ + size_) % most_words] = pushed;
        ++size_;
        high_water_ = size_ > high_water_ ? size_ : high_water_;
    }
    /// @pre not empty
    flit pop() noexcept {
        const flit popped = words_[first_];
        first_ = static_cast<std::uint8_t>((first_ + 1) % most_words);
        --size_;
        return popped;
    }

  private:
    std::array<flit, most_words> words_{};
    std::uint8_t first_ = 0;
    std::uint8_t size_ = 0;
    std::uint8_t high_water_ = 0;
};

} // namespace lisle::tile
