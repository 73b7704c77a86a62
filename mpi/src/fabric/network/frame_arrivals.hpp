// SPDX-License-Identifier: Apache-2.0
// What becomes of a frame that has arrived: it is checked, waits until those that were sent before it are
// there, and goes to the inbox of its rank, or tells this process something.
#pragma once

#include "fabric/network/acknowledgements.hpp"
#include "fabric/network/congestion.hpp"
#include "fabric/network/peer/peer_table.hpp"

namespace lisle::fabric::network {

/// Used with the fabric's lock held, but for dropped().
class frame_arrivals {
  public:
    /// What frames go to, and what they tell of.
    struct places {
        rail_set &rails;
        send_buffers &buffers;
        inboxes &boxes;
        peer_table &peers;
        acknowledgements &acknowledged;
        congestion &congested;
    };

    /// All outlive this.
    frame_arrivals(const job_view &job, const places &to) noexcept : job_{job}, to_{to} {}

    void arrived(buffer &in, std::size_t bytes);
    /// Frames that have been dropped because they were not sound.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return drops_.value(); }

  private:
    void drop(buffer &in, std::size_t bytes, refusal why) noexcept;
    /// Passes on the frame and what was held back for it, or holds it back. False: its number is wrong.
    [[nodiscard]] bool put_in_order(int process, const inbox::packet &arrived);
    [[nodiscard]] bool put_numbered_in_order(int process, const inbox::packet &arrived);
    /// Takes a frame whose turn it is.
    void pass_on(int process, const inbox::packet &due);

    const job_view &job_;
    const places to_;
    drop_count drops_;
};

} // namespace lisle::fabric::network
