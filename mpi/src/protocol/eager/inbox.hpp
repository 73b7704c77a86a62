// SPDX-License-Identifier: Apache-2.0
// What arrives at an engine: packets from the rank's mailbox and from other fabrics. Messages that came whole
// (eager) go to their receives' buffers here; packets of all other kinds go to who has registered for them
// (message/active_messages.hpp). A blocking receive may take the next message straight from the mailbox.
// What a packet says is checked before it is believed; nothing here may ask whose thread it is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "execution/fiber_worker.hpp"
#include "fabric/local/mailbox.hpp"
#include "protocol/core/engine_core.hpp"
#include "protocol/eager/short_receive.hpp"
#include "protocol/eager/store.hpp"
#include "protocol/matching/matching.hpp"
#include "protocol/message/active_messages.hpp"

namespace lisle::protocol {

/// Under the engine's lock.
class inbox {
  public:
    /// Asks the fabrics of the core's routes: one has the rank's mailbox, others are polled.
    inbox(engine_core &core, matching &receives);

    /// True if the rank has a mailbox, nothing else has to be asked, and no observer compares types.
    /// Without the lock, too: who still sees what was true before looks for its message in vain.
    [[nodiscard, gnu::always_inline]] bool is_alone() const noexcept {
        return alone_.load(std::memory_order_relaxed); // orders nothing: what is looked at has the lock
    }
    /// There are more fabrics to poll, or fewer.
    void note_fabrics() noexcept {
        if (!core_.polled.empty()) {
            alone_.store(false, std::memory_order_relaxed); // see is_alone()
        }
    }
    /// True if what this rank sends arrives through the mailbox: else that is not the place to look.
    [[nodiscard, gnu::cold]] bool brings_all_of(int peer) const noexcept;
    [[nodiscard]] bool has_mailbox() const noexcept { return mailbox_ != nullptr; }
    [[nodiscard]] fabric::mailbox_receiver *mailbox() const noexcept { return mailbox_; }
    /// The fabric whose the mailbox is; null: there is none.
    [[nodiscard]] fabric::packet_source *source() const noexcept { return source_; }

    // ---- short_path.hpp ----

    /// Takes the next message straight from the mailbox to the buffer, if the receive wants it and it comes
    /// within so many looks.
    template <class Looks>
    [[nodiscard, gnu::always_inline]] take_result take_short(std::byte *to, MPI_Count room,
                                                             const envelope &pattern, MPI_Status *status,
                                                             const wanted_elements &elements, Looks looks);

    // ---- all packets ----

    /// Takes at most so many packets from the mailbox. Returns how many.
    [[nodiscard]] int drain(int most);
    /// A packet that another fabric brought, or that is no plain message.
    void arrived(int peer, const fabric::packet_header &header, std::span<const std::byte> payload);
    /// A whole message. @param note that came along; null: none
    void on_eager(const arrival &packet);

    /// Keeps the payload of the packet that is being delivered where it lies, until release_payload(). False:
    /// it does not lie in the mailbox.
    [[nodiscard]] bool hold_payload(std::span<const std::byte> payload) noexcept;
    void release_payload() noexcept { mailbox_->release(); }
    /// A message is received in pieces, +1, or no more, -1. While there are any, packets are taken one by
    /// one: what has been read makes room for more.
    void count_pieces(int change) noexcept { read_in_pieces_ += change; }

  private:
    [[nodiscard, gnu::noinline]] take_result take_longer(std::byte *to, MPI_Count room, envelope pattern,
                                                         MPI_Status *status, const fabric::cell &packet,
                                                         wanted_elements elements);
    [[gnu::always_inline]] void arrived_eager(envelope what, std::span<const std::byte> payload,
                                              receive_operation *receive);
    /// One whose elements are strict: `sent`.
    [[gnu::noinline]] void arrived_strict(envelope what, basic_type sent, std::span<const std::byte> payload);
    // By value, as in the next: callers keep theirs in registers.
    [[gnu::noinline]] void keep_eager(envelope what, std::span<const std::byte> payload,
                                      receive_operation *captor);
    /// @param peer who sent it, not checked yet
    [[gnu::noinline]] void arrived_other(int peer, envelope what, packet_manner manner,
                                         std::span<const std::byte> payload);

    engine_core &core_;
    matching &receives_;
    fabric::mailbox_receiver *mailbox_ = nullptr;
    fabric::packet_source *source_ = nullptr;
    std::atomic<bool> alone_ = false;
    /// The kinds of packets that are messages and nothing else; with an observer no kind is.
    const std::uint8_t plain_kind_, strict_kind_;
    int read_in_pieces_ = 0;
};

template <class Looks> inline take_result inbox::take_short(std::byte *to, MPI_Count room,
                                                            const envelope &pattern, MPI_Status *status,
                                                            const wanted_elements &elements, Looks looks) {
    const fabric::cell *packet = mailbox_->next();
    if (packet == nullptr) {
        if (fiber_worker *const worker = fiber_worker::current();
            worker != nullptr && worker->others_ready()) {
            return take_result::too_early;
        }
        const unsigned most = looks();
        for (unsigned look = 0; packet == nullptr; packet = mailbox_->next()) {
            if (++look > most || core_.bare_lock().wanted()) {
                return take_result::impossible;
            }
        }
    }
    const fabric::packet_header header = packet->header;
    if (header.payload_bytes > fabric::cell::inline_bytes) {
        return take_longer(to, room, pattern, status, *packet, elements);
    }
    if (!elements.fit(header.kind, header.flags) ||
        !store_if_wanted(to, room, pattern, status, {header.context, header.source, header.tag},
                         packet->inline_payload, header.payload_bytes)) {
        return take_result::impossible;
    }
    mailbox_->consume();
    return take_result::taken;
}

} // namespace lisle::protocol
