// SPDX-License-Identifier: Apache-2.0
// What waits for room on its way out: control packets, streams (messages that their receivers take packet by
// packet), and work that tries again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fabric/packet_carrier.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/message/packet.hpp"
#include "protocol/sending/queues_by_peer.hpp"

namespace lisle::protocol {

/// A control packet that may have to wait for room.
struct deferred_packet {
    fabric::packet_header header;
    std::byte payload[control_bytes];
    bool takes_data; ///< an announcement whose message goes along if the receiver's mailbox has room
};

/// Under the lock of its engine, but for hindrances() and short_end().
class outbox {
  public:
    /// @param short_limit longest message for the short path; SIZE_MAX: none
    /// @param observed a message_observer is to be asked of each message
    outbox(std::size_t short_limit, bool observed) noexcept : short_limit_{short_limit}, observed_{observed} {
        count();
    }

    /// Why a message may not be sent at once: the number of packets that wait, plus failure_mark if anything
    /// has failed. Read without the lock, relaxed: a thread has to see packets deferred by calls that
    /// happened before its own, and those it sees.
    [[nodiscard]] std::size_t hindrances() const noexcept {
        return hindrances_.load(std::memory_order_relaxed);
    }
    static constexpr std::size_t failure_mark = SIZE_MAX / 2 + 1;
    /// Added for good where there is an observer: no hindrance, but to be looked at.
    static constexpr std::size_t observed_mark = failure_mark / 2;
    [[nodiscard]] static std::size_t packets_among(std::size_t hindrances) noexcept {
        return hindrances & (observed_mark - 1);
    }
    /// Shorter messages than this may take the short path; none may while there are hindrances, or
    /// messages go the general ways. Read as they are.
    [[nodiscard]] std::size_t short_end() const noexcept {
        return short_end_.load(std::memory_order_relaxed);
    }

    /// How many packets and streams wait.
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    [[nodiscard]] bool has_packets_for(int peer) const noexcept { return packets_.any_for(peer); }
    [[nodiscard]] bool has_stalled() const noexcept { return stalled_ != nullptr; }
    /// Nothing waits, and nothing is to be tried again.
    [[nodiscard]] bool empty() const noexcept { return waiting_ == 0 && !has_stalled(); }

    void add(int peer, const deferred_packet &packet) {
        packets_.push_back(peer, packet);
        count();
    }
    void add(send_operation &stream) {
        streams_.push_back(stream.dest, &stream);
        count();
    }
    /// Calls `serve(peer, queue)` for each peer for which packets wait. It may take from its queue.
    template <class Serve> void serve_packets(Serve serve) {
        packets_.serve_each(serve);
        count();
    }
    template <class Serve> void serve_streams(Serve serve) {
        streams_.serve_each(serve);
        count();
    }
    /// From now on senders ask what has failed.
    void note_failure() noexcept {
        has_failures_ = true;
        count();
    }

    /// Whether all messages go the general ways, where calls note them.
    void keep_general(bool general) noexcept {
        general_ = general;
        count();
    }

    /// Reads of remote memory that found no room.
    void stall(pending_work &work) noexcept { work.next = std::exchange(stalled_, &work); }
    /// All of them, the latest first.
    [[nodiscard]] pending_work *take_stalled() noexcept { return std::exchange(stalled_, nullptr); }

  private:
    void count() noexcept {
        waiting_ = streams_.size() + packets_.size();
        const std::size_t hindrances = packets_.size() + (has_failures_ ? failure_mark : 0);
        hindrances_.store(hindrances + (observed_ ? observed_mark : 0), std::memory_order_relaxed);
        short_end_.store(hindrances == 0 && !general_ ? short_limit_ + 1 : 0, std::memory_order_relaxed);
    }

    queues_by_peer<send_operation *> streams_;
    queues_by_peer<deferred_packet> packets_;
    pending_work *stalled_ = nullptr;
    std::size_t waiting_ = 0;
    const std::size_t short_limit_;
    const bool observed_;
    bool has_failures_ = false;
    bool general_ = false;
    std::atomic<std::size_t> hindrances_{0};
    std::atomic<std::size_t> short_end_;
};

} // namespace lisle::protocol
