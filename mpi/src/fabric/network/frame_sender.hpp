// SPDX-License-Identifier: Apache-2.0
// How frames leave: at once, or, where a Sender thread has been promised them or the device has no room, from
// the outbox of their process. Sending never waits.
#pragma once

#include <vector>

#include "fabric/deferred_sending.hpp"
#include "fabric/network/peer/peer_table.hpp"
#include "fabric/packet_carrier.hpp"

namespace lisle::fabric::network {

/// Used with the fabric's lock held, but for fill().
class frame_sender {
  public:
    /// All outlive this.
    frame_sender(const job_view &job, rail_set &rails, send_buffers &buffers, peer_table &peers)
        : job_{job}, rails_{rails}, buffers_{buffers}, peers_{peers} {
        clogged_.reserve(static_cast<std::size_t>(peers.size()));
    }

    // ---- packets ----

    /// As packet_carrier::try_claim. @param process of `dest`, which may be unknown yet
    [[nodiscard]] claim_result claim(int process, int self, int dest, bool solicited,
                                     packet_slot &slot) noexcept;
    void fill(packet_slot &slot, const void *from, std::size_t bytes) noexcept;
    /// @return the process that the packet goes to
    int publish(packet_slot &slot) noexcept;
    /// A frame without a packet. False: not possible now.
    [[nodiscard]] bool send_control(int process, frame::kind what, int source) noexcept;

    // ---- frames that wait ----

    [[nodiscard]] bool any_waiting() const noexcept { return !clogged_.empty(); }
    /// True if frames wait for a process of which the device has nothing: no end of a send will tell that
    /// there is room.
    [[nodiscard]] bool must_try() const noexcept;
    void send_waiting() noexcept;
    /// As deferred_sending::send_some.
    [[nodiscard]] send_step send_some() noexcept;

    // ---- what becomes of them ----

    /// The device has done with a frame.
    void ended(buffer &sent) noexcept;
    /// Its device ends nothing any more.
    void rail_closed(std::size_t number) noexcept;
    /// Another rail carries the frames of a process: what is kept waits to be sent once more.
    void send_again(int process);

  private:
    void send(buffer &filled) noexcept;
    [[nodiscard]] attempt start(buffer &filled) noexcept;
    void wait(buffer &filled);
    void refused(buffer &lost) noexcept;
    [[nodiscard]] attempt send_next(int process) noexcept;
    void forget_if_sent(std::size_t place) noexcept;
    [[nodiscard]] frame make_frame(frame::kind what, int source, int dest) const noexcept;

    const job_view &job_;
    rail_set &rails_;
    send_buffers &buffers_;
    peer_table &peers_;
    std::vector<int> clogged_; ///< processes with waiting frames
    std::size_t turn_ = 0;     ///< among the clogged ones, of whom the Sender has sent for last
};

} // namespace lisle::fabric::network
