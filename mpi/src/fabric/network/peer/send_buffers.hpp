// SPDX-License-Identifier: Apache-2.0
// The buffers that frames are sent from, and the call of a Sender thread that waits for one or has been
// promised frames.
#pragma once

#include <functional>
#include <utility>

#include "fabric/network/peer/frame.hpp"
#include "fabric/network/rail/buffers.hpp"

namespace lisle::fabric::network {

/// The frame that stands first in a buffer.
[[nodiscard]] inline frame &frame_in(buffer &one) noexcept {
    return *reinterpret_cast<frame *>(one.room.data());
}

/// Used with the fabric's lock held, but for at(): a buffer that is claimed is its claimer's to fill.
class send_buffers {
  public:
    static constexpr std::size_t count = 96; ///< frames of a process that are on their way at most

    explicit send_buffers(std::size_t bytes_each) : pool_{operation::kind::send, count, bytes_each} {}

    /// All of it, to be registered.
    [[nodiscard]] std::span<std::byte> memory() const noexcept { return pool_.memory(); }
    [[nodiscard]] std::size_t available() const noexcept { return pool_.available(); }
    /// @pre available() is not 0
    [[nodiscard]] buffer &take() noexcept { return pool_.take(); }
    void give_back(buffer &sent) noexcept {
        pool_.give_back(sent);
        if (std::exchange(room_wanted_, false)) {
            call_sender();
        }
    }
    [[nodiscard]] std::size_t index_of(const buffer &one) const noexcept { return pool_.index_of(one); }
    [[nodiscard]] buffer &at(std::size_t index) noexcept { return pool_.at(index); }
    /// Somebody has found no buffer.
    void await_room() noexcept { room_wanted_ = true; }

    /// @param call wakes the Sender; empty: there is none
    void leave_to_sender(const std::function<void()> &call) { call_sender_ = call; }
    [[nodiscard]] bool has_sender() const noexcept { return static_cast<bool>(call_sender_); }
    void call_sender() const {
        if (call_sender_) {
            call_sender_();
        }
    }

  private:
    buffer_pool pool_;
    std::function<void()> call_sender_;
    bool room_wanted_ = false;
};

} // namespace lisle::fabric::network
