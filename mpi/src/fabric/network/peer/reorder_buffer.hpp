// SPDX-License-Identifier: Apache-2.0
// The order in which frames were sent, restored by their numbers. Providers of libfabric match messages in
// order and end them in another one: a short message overtakes a longer one that is still being read. What
// has ended early is held back here until everything before it is there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/network/peer/frame.hpp"

namespace lisle::fabric::network {

/// What has come of one peer, and what may come. Not thread-safe. Allocates only for frames that come early.
template <class Frame> class reorder_buffer {
  public:
    enum class arrival : std::uint8_t {
        due,        ///< everything before it has been passed on
        early,      ///< something before it is missing
        repeated,   ///< it has come before
        impossible, ///< so far away no sender can be
    };
    /// Farther ahead of the due one no number can be, since each frame that comes early keeps a buffer of the
    /// receiver; nor farther behind, since each frame that is sent again keeps one of the sender.
    static constexpr std::uint32_t window = 128;

    /// @param first number of the first frame
    explicit reorder_buffer(std::uint32_t first = 1) noexcept : due_{first} {}

    [[nodiscard]] std::uint32_t due() const noexcept { return due_; }
    [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }

    [[nodiscard]] arrival place_of(std::uint32_t number) const noexcept {
        const std::uint32_t ahead = ahead_of_due(number), behind = due_ - number;
        if (number == 0 || (ahead > window && behind > window)) {
            return arrival::impossible;
        }
        if (ahead == 0) {
            return arrival::due;
        }
        if (behind <= window) {
            return arrival::repeated;
        }
        const auto at = position_of(number);
        return at != held_.end() && at->number == number ? arrival::repeated : arrival::early;
    }

    /// The due frame has been passed on.
    void advance() noexcept { due_ = number_after(due_); }

    /// Keeps a frame that has come early.
    void hold(std::uint32_t number, Frame early) {
        held_.insert(position_of(number), {number, std::move(early)});
    }

    /// The due frame, if it is held; then the next one is due.
    [[nodiscard]] std::optional<Frame> take_due() {
        if (held_.empty() || held_.front().number != due_) {
            return std::nullopt;
        }
        std::optional<Frame> taken{std::move(held_.front().what)};
        held_.erase(held_.begin());
        advance();
        return taken;
    }

    /// Any frame that is held, of a peer of which nothing is passed on any more.
    [[nodiscard]] std::optional<Frame> take_any() {
        if (held_.empty()) {
            return std::nullopt;
        }
        std::optional<Frame> taken{std::move(held_.back().what)};
        held_.pop_back();
        return taken;
    }

  private:
    struct early_frame {
        std::uint32_t number;
        Frame what;
    };

    // Numbers begin anew after the greatest: what counts is the distance.
    [[nodiscard]] std::uint32_t ahead_of_due(std::uint32_t number) const noexcept { return number - due_; }
    [[nodiscard]] auto position_of(std::uint32_t number) const noexcept {
        return std::ranges::lower_bound(held_, ahead_of_due(number), {}, [this](const early_frame &each) {
            return ahead_of_due(each.number);
        });
    }

    std::uint32_t due_;
    std::vector<early_frame> held_; ///< in order
};

} // namespace lisle::fabric::network
