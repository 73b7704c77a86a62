// SPDX-License-Identifier: Apache-2.0
// How packets leave an engine: at once where there is room, otherwise from its outbox, in the order of each
// destination. All packets but those of the short path are written in one place, put().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "datatype/typed_buffer.hpp"
#include "fabric/local/mailbox.hpp"
#include "fabric/packet_carrier.hpp"
#include "protocol/core/engine_core.hpp"
#include "protocol/core/failure_table.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/sending/eager_limits.hpp"
#include "protocol/sending/id_table.hpp"
#include "protocol/sending/outbox.hpp"

namespace lisle::protocol {

/// A packet's payload: what is said of a message, then a part of the message itself.
struct packet_content {
    const type_note *note = nullptr; ///< null: none
    const void *said = nullptr;
    std::size_t said_bytes = 0;
    typed_buffer data{};
    MPI_Count offset = 0;       ///< of the part in the message
    std::size_t data_bytes = 0; ///< 0: no part of it

    [[nodiscard]] std::size_t bytes() const noexcept {
        return (note != nullptr ? sizeof *note : 0) + said_bytes + data_bytes;
    }
};

class sender {
  public:
    sender(engine_core &core, const failure_table &failed);

    // ---- messages that are sent before their receive is known ----

    /// Sends a message that fits a packet's own cell, if it may and can go that way at once. False: nothing
    /// has happened, take the general way.
    [[nodiscard, gnu::always_inline]] bool try_send_short(const typed_buffer &buffer, std::uint32_t mark,
                                                          const envelope &what, int dest,
                                                          std::size_t bytes) noexcept {
        fabric::mailbox_sender *const mailbox = mailbox_of(dest);
        if (mailbox == nullptr) {
            return false;
        }
        static_assert(packet_kind::eager == packet_kind{} &&
                      fabric::short_header::manner_of(0, 1) == 1U << type_mark::basic_shift);
        const fabric::short_header header{what.context, what.source, what.tag, mark,
                                          static_cast<std::uint32_t>(bytes)};
        return mailbox->try_post(signature_, header, buffer.address, false) == fabric::claim_result::claimed;
    }
    /// True if the message may take the short path. @param mark the type's
    [[nodiscard, gnu::always_inline]] bool is_short(std::uint32_t mark, std::size_t bytes) const noexcept {
        return bytes < outbox_.short_end() && mark != 0;
    }
    /// Sends a message in one packet if there is room for it. False: announce it, or try again.
    [[nodiscard]] fabric::claim_result try_send_eager(const typed_buffer &buffer, const envelope &what,
                                                      int dest, std::size_t bytes);
    /// True if so many bytes are sent this way before their receive is known: what the route and the settings
    /// allow, and fewer where the receiver can copy from this buffer itself.
    [[nodiscard]] bool goes_unasked(const fabric::route &way, const typed_buffer &buffer,
                                    std::size_t bytes) const noexcept {
        return bytes <= way.limits.eager && (bytes <= limits_.if_copied_once ||
                                             (bytes <= limits_.otherwise && !is_copied_once(way, buffer)));
    }

    // ---- packets ----

    /// Sends one packet if there is room. @param solicited the receiver has asked for it
    [[nodiscard]] fabric::claim_result put(int dest, const fabric::packet_header &header,
                                           const packet_content &content, bool solicited);
    /// Sends one packet of another kind than messages, with an annotation where there is an observer.
    [[nodiscard]] fabric::claim_result try_send(int dest, const fabric::packet_header &header,
                                                const void *payload, std::size_t bytes);
    /// Sends a control packet now, or keeps it until there is room. Dropped if the peer has failed.
    /// @param bytes at most control_bytes
    void send_control_locked(int dest, const fabric::packet_header &header, const void *payload = nullptr,
                             std::size_t bytes = 0);
    /// The same for an announcement, whose message goes along if `takes_data` and the receiver has room.
    void announce_locked(int dest, deferred_packet &packet) { send_or_defer_locked(dest, packet); }
    /// Posts an announcement without the lock. False: there is no room, or something else goes first.
    [[nodiscard]] bool try_post(int dest, const fabric::packet_header &header, const void *payload) noexcept;

    // ---- what waits ----

    /// Sends what finds room now. @param only to peers that this fabric reaches; null: to all
    bool flush_locked(const fabric::packet_carrier *only);
    /// Has work tried again after the next round of progress, which comes soon also if the rank sleeps: for
    /// what has found no room.
    void do_later_locked(pending_work &work) noexcept {
        outbox_.stall(work);
        core_.call_senders();
    }
    void do_later(pending_work &work);
    /// Tells which bell calls the threads that send what waits; null: there are none any more. @pre none of
    /// them is at work
    void be_served_by(doorbell *senders) noexcept;
    /// True if all that this rank has promised to send has left it.
    [[nodiscard]] bool drained();
    void keep_general(bool general); ///< see outbox
    [[nodiscard]] outbox &waiting() noexcept { return outbox_; }
    [[nodiscard]] const outbox &waiting() const noexcept { return outbox_; }
    /// Sends whose receivers have been told of them, by the identifiers that they were told.
    [[nodiscard]] id_table<send_operation> &announced() noexcept { return announced_; }

    /// Where packets go that pass through memory; null: elsewhere.
    /// See routes::mailboxes.
    [[nodiscard]] fabric::mailbox_sender *mailbox_of(int rank) const noexcept {
        return mailboxes_[rank].load(std::memory_order_acquire); // as there
    }
    [[nodiscard]] std::int64_t unexpected_limit() const noexcept { return limits_.unexpected; }

  private:
    /// Whether the peer copies announced data from where they lie. Scattered data is packed by its owner,
    /// also within a process: to the receiver each of its cache lines is far away.
    [[nodiscard]] bool is_copied_once(const fabric::route &way, const typed_buffer &buffer) const noexcept;
    [[nodiscard]] bool comes_after_others(int dest, std::size_t hindrances);
    [[nodiscard]] std::optional<type_note> describe(const typed_buffer &buffer, int dest, std::uint32_t call);
    [[gnu::cold, gnu::noinline, nodiscard]] fabric::claim_result
    try_send_observed(const typed_buffer &buffer, const envelope &what, int dest, std::size_t bytes);
    /// @param data that goes along; null: none
    [[nodiscard]] fabric::claim_result try_announce(int dest, fabric::packet_header header,
                                                    const announcement &said, const send_operation *send,
                                                    bool with_data);
    [[nodiscard]] fabric::claim_result try_send_deferred_locked(int dest, deferred_packet &packet);
    void send_or_defer_locked(int dest, deferred_packet &packet);

    engine_core &core_;
    const failure_table &failed_;
    const eager_limits limits_;
    const std::atomic<fabric::mailbox_sender *> *const mailboxes_; ///< by destination
    const std::uint64_t signature_;                                ///< of this rank's packets
    outbox outbox_;
    id_table<send_operation> announced_;
};

} // namespace lisle::protocol
