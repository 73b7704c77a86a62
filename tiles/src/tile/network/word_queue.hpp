// SPDX-License-Identifier: Apache-2.0
// A buffer of a few words, as routers and ports have them.
#pragma once

#include <array>
#include <cstdint>

#include "tile/network/route_header.hpp"

namespace lisle::tile {

class word_queue {
  public:
    static constexpr int most_words = 16;

    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// The largest size so far.
    [[nodiscard]] int high_water() const noexcept { return high_water_; }

    /// @pre not empty
    [[nodiscard]] word front() const noexcept { return words_[first_]; }
    /// @pre fewer than most_words
    void push(word pushed) noexcept {
        words_[(first_ + size_) % most_words] = pushed;
        ++size_;
        high_water_ = size_ > high_water_ ? size_ : high_water_;
    }
    /// @pre not empty
    word pop() noexcept {
        const word popped = words_[first_];
        first_ = static_cast<std::uint8_t>((first_ + 1) % most_words);
        --size_;
        return popped;
    }

  private:
    std::array<word, most_words> words_{};
    std::uint8_t first_ = 0;
    std::uint8_t size_ = 0;
    std::uint8_t high_water_ = 0;
};

} // namespace lisle::tile
