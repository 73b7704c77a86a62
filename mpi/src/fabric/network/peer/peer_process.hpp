// SPDX-License-Identifier: Apache-2.0
// A process that packets go to or come from: the rails to it, its frames in order, those to it that wait or
// are kept, and how near it is to its end. Where another rail can take over, frames have numbers and are kept
// until the peer has acknowledged them: so what was on its way is sent once more, and what arrives twice is
// dropped.
#pragma once

#include <vector>

#include "fabric/network/peer/inboxes.hpp"
#include "fabric/network/peer/outbox.hpp"
#include "fabric/network/peer/reorder_buffer.hpp"
#include "fabric/network/peer/send_buffers.hpp"
#include "fabric/network/rail/rail_set.hpp"

namespace lisle::fabric::network {

/// Used with the fabric's lock held.
class peer_process {
  public:
    // ---- the rails to it ----

    /// Makes room for all frames that may be on their way. @param at by rail, no_peer where the rails do not
    /// meet @param in_order true: frames end in order anyway
    void join(std::vector<peer_number> at, bool in_order);
    [[nodiscard]] bool is_joined() const noexcept { return !at_.empty(); }
    /// By rail; empty: not joined.
    [[nodiscard]] const std::vector<peer_number> &rails() const noexcept { return at_; }
    /// The rail that carries the frames.
    [[nodiscard]] std::size_t rail() const noexcept { return rail_; }
    /// Frames are kept until they are acknowledged where another rail can take over.
    [[nodiscard]] bool keeps() const noexcept { return at_.size() > 1; }
    /// Frames in both directions have numbers.
    [[nodiscard]] bool numbers() const noexcept { return numbers_; }
    [[nodiscard]] bool has_lost(std::size_t rail) const noexcept {
        return rail < at_.size() && at_[rail] == no_peer;
    }
    [[nodiscard]] bool has_more_rails_than_one() const noexcept;
    enum class after_loss : std::uint8_t {
        unchanged, ///< another rail carries the frames
        moved,     ///< the next one does from now on, and what is kept is to be sent once more
        cut_off,   ///< there is none
    };
    /// A rail was closed.
    [[nodiscard]] after_loss lose(std::size_t rail);

    // ---- frames to it ----

    /// Hands a frame to the device: with its number, and kept where that is needed. done: the device has it;
    /// ended: it needs its buffer no more.
    [[nodiscard]] attempt start(buffer &filled, rail_set &rails) noexcept;
    /// The device has done with a frame, or its rail was closed.
    void stop(buffer &sent) noexcept {
        --started_;
        sent.at_provider = false;
    }
    /// Frames that the device has.
    [[nodiscard]] std::size_t started() const noexcept { return started_; }
    /// Buffers that are on their way to it.
    [[nodiscard]] std::size_t outstanding() const noexcept { return outstanding_; }
    void add_outstanding() noexcept { ++outstanding_; }
    /// Gives a frame's buffer back, unless it is kept.
    void release(buffer &sent, send_buffers &to) noexcept {
        if (!sent.kept) {
            --outstanding_;
            to.give_back(sent);
        }
    }
    /// It has all frames before this number. False: no such frame has been sent.
    [[nodiscard]] bool acknowledge(std::uint32_t number, send_buffers &to) noexcept;
    /// Nothing reaches it any more: gives back all buffers that the device does not have.
    void forget_frames(send_buffers &to) noexcept;
    outbox waiting; ///< frames that the device had no room for, or a Sender is to send

    // ---- frames from it ----

    reorder_buffer<inbox::packet> arriving;
    unsigned unreported = 0; ///< frames of it that it has not been told of

    // ---- how far it has come ----

    bool heard = false;                  ///< something of it has arrived
    bool reached = false;                ///< the device has taken a frame to it, so they are connected
    bool awaited = false;                ///< somebody has waited for that
    bool hears_of_end_in_frames = false; ///< it cannot watch this process
    bool told_last = false;              ///< that nothing follows
    bool confirmed = false;              ///< it knows that
    bool left = false;                   ///< it waits for nothing any more, so its end is no failure
    bool failed = false;

  private:
    std::vector<peer_number> at_;
    std::size_t rail_ = 0;
    bool numbers_ = false;
    std::uint32_t next_out_ = 1;    ///< number of the next frame to it
    ring<buffer *> unacknowledged_; ///< numbered frames, in order
    std::size_t outstanding_ = 0;
    std::size_t started_ = 0; ///< of these
};

/// Puts the part of a frame that lies outside of its buffer behind the rest.
void take_in(buffer &filled) noexcept;

} // namespace lisle::fabric::network
