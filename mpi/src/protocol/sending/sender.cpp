// SPDX-License-Identifier: Apache-2.0
#include "protocol/sending/sender.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "datatype/copy.hpp"
#include "fabric/shared_memory.hpp"
#include "mpi.h"

namespace lisle::protocol {

using fabric::claim_result;

namespace {

// An announcement takes so much data along even to a rank that wants no unexpected data: to keep the
// announcement costs it no less.
constexpr std::uint64_t most_carried_always = 128;

// A short limit: no message is short, since the end of the short ones is one more.
constexpr std::size_t no_short_messages = SIZE_MAX;

/// The longest message for the short path.
std::size_t short_limit(const engine_core &core, const eager_limits &limits) noexcept {
    return core.observer != nullptr && core.observer->follows_each_message()
               ? no_short_messages
               : std::min(limits.if_copied_once, fabric::cell::inline_bytes);
}

/// False where packets are so short that messages go without.
bool has_room_for_note(const fabric::route &way) noexcept {
    return sizeof(type_note) + sizeof(announcement) <= way.limits.largest_payload;
}

std::byte *append(std::byte *to, const void *from, std::size_t bytes) noexcept {
    if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
    return to + bytes;
}

} // namespace

sender::sender(engine_core &core, const failure_table &failed)
    : core_{core}, failed_{failed}, limits_{eager_limits::from_settings()},
      mailboxes_{core.self.routes.mailboxes()}, signature_{fabric::signed_by(core.self.number)},
      outbox_{short_limit(core, limits_), core.observer != nullptr} {}

bool sender::is_copied_once(const fabric::route &way, const typed_buffer &buffer) const noexcept {
    if (core_.self.shares_addresses(way)) {
        return !buffer.type->scattered();
    }
    return way.node != nullptr && buffer.type->contiguous() &&
           way.node->holds(buffer.address, static_cast<std::size_t>(buffer.bytes()));
}

// An earlier message of ours may still wait for room: keep the order. Others' wait means nothing.
bool sender::comes_after_others(int dest, std::size_t hindrances) {
    if (outbox::packets_among(hindrances) == 0) {
        return false;
    }
    const std::scoped_lock guard{core_.bare_lock()};
    return outbox_.has_packets_for(dest);
}

claim_result sender::try_send_eager(const typed_buffer &buffer, const envelope &what, int dest,
                                    std::size_t bytes) {
    if (const std::size_t hindrances = outbox_.hindrances(); hindrances != 0) [[unlikely]] {
        if (failed_.any()) {
            const std::scoped_lock guard{core_.bare_lock()};
            if (failed_.error_of(what.context, dest) != MPI_SUCCESS) {
                return claim_result::failed;
            }
        }
        if (comes_after_others(dest, hindrances)) {
            return claim_result::full;
        }
        if (core_.observer != nullptr) {
            return try_send_observed(buffer, what, dest, bytes);
        }
    }
    const type_mark mark = buffer.type->mark();
    return put(dest,
               {what.context, what.source, what.tag, static_cast<std::uint8_t>(eager_kind(mark)),
                static_cast<std::uint8_t>(mark.basic()), 0, 0},
               {.data = buffer, .data_bytes = bytes}, false);
}

std::optional<type_note> sender::describe(const typed_buffer &buffer, int dest, std::uint32_t call) {
    return has_room_for_note(core_.self.routes.to(dest)) ? core_.observer->describe(buffer, call)
                                                         : std::nullopt;
}

claim_result sender::try_send_observed(const typed_buffer &buffer, const envelope &what, int dest,
                                       std::size_t bytes) {
    const auto note = describe(buffer, dest, core_.observer->begin_send(what, dest));
    if (note && !goes_unasked(core_.self.routes.to(dest), buffer, sizeof *note + bytes)) {
        return claim_result::congested;
    }
    const packet_kind kind = note ? packet_kind::described_eager : packet_kind::eager;
    return put(dest,
               {what.context, what.source, what.tag, static_cast<std::uint8_t>(kind),
                static_cast<std::uint8_t>(buffer.type->basic()), core_.observer->annotate(0), 0},
               {.note = note ? &*note : nullptr, .data = buffer, .data_bytes = bytes}, false);
}

claim_result sender::put(int dest, const fabric::packet_header &header, const packet_content &content,
                         bool solicited) {
    fabric::packet_slot slot{};
    auto &carrier = *core_.self.routes.to(dest).carrier;
    const std::size_t bytes = content.bytes();
    const claim_result result = carrier.try_claim(core_.self.number, dest, bytes, solicited, slot);
    if (result != claim_result::claimed) {
        return result;
    }
    const typed_buffer &data = content.data;
    if (content.data_bytes == bytes && bytes != 0 && data.type->contiguous()) {
        carrier.fill(dest, slot, static_cast<const std::byte *>(data.address) + content.offset, bytes);
    } else {
        std::byte *end =
            content.note != nullptr ? append(slot.payload, content.note, sizeof *content.note) : slot.payload;
        end = append(end, content.said, content.said_bytes);
        if (content.data_bytes != 0) {
            pack(data, content.offset, {end, content.data_bytes});
        }
    }
    // Last, for the receiver looks at this line all the while, and takes it away from who writes it.
    *slot.header = header;
    slot.header->payload_bytes = static_cast<std::uint32_t>(bytes);
    slot.may_overtake = answers_only(header.kind);
    slot.may_be_held = begins_message(header.kind);
    carrier.publish(dest, slot);
    return result;
}

claim_result sender::try_send(int dest, const fabric::packet_header &header, const void *payload,
                              std::size_t bytes) {
    const packet_content content{.said = payload, .said_bytes = bytes};
    if (core_.observer != nullptr) [[unlikely]] {
        fabric::packet_header annotated = header;
        annotated.annotation = core_.observer->annotate(0);
        return put(dest, annotated, content, true);
    }
    return put(dest, header, content, true);
}

claim_result sender::try_announce(int dest, fabric::packet_header header, const announcement &said,
                                  const send_operation *send, bool with_data) {
    packet_content content{.said = &said, .said_bytes = sizeof said};
    std::optional<type_note> note;
    if (core_.observer != nullptr) [[unlikely]] {
        std::uint8_t elements = 0;
        if (send != nullptr) {
            elements = static_cast<std::uint8_t>(send->buffer.type->basic());
            note = describe(send->buffer, dest, send->call);
        }
        header.annotation = core_.observer->annotate(elements);
        if (note) {
            header.kind = static_cast<std::uint8_t>(packet_kind::described_announcement);
            content.note = &*note;
        }
    }
    if (with_data) {
        header.flags |= carries_data;
        content.data = send->buffer;
        content.data_bytes = said.bytes;
        if (note && content.bytes() > core_.self.routes.to(dest).limits.largest_payload) {
            return claim_result::congested; // the data go by themselves
        }
    }
    return put(dest, header, content, !with_data || said.bytes <= most_carried_always);
}

bool sender::try_post(int dest, const fabric::packet_header &header, const void *payload) noexcept {
    fabric::mailbox_sender *const mailbox = mailbox_of(dest);
    return mailbox != nullptr && outbox_.hindrances() == 0 &&
           mailbox->try_post(signature_, header, payload, true) == claim_result::claimed;
}

void sender::send_control_locked(int dest, const fabric::packet_header &header, const void *payload,
                                 std::size_t bytes) {
    deferred_packet packet{.header = header, .payload = {}, .takes_data = false};
    packet.header.payload_bytes = static_cast<std::uint32_t>(bytes);
    append(packet.payload, payload, bytes);
    send_or_defer_locked(dest, packet);
}

void sender::send_or_defer_locked(int dest, deferred_packet &packet) {
    if (!outbox_.has_packets_for(dest)) {
        const auto result = try_send_deferred_locked(dest, packet);
        if (result == claim_result::claimed || result == claim_result::failed) {
            return; // what a failure means for operations is seen to when the fabric reports it
        }
    }
    core_.counts.add(counted::deferred_packets);
    outbox_.add(dest, packet);
    core_.call_senders();
}

claim_result sender::try_send_deferred_locked(int dest, deferred_packet &packet) {
    if (packet.header.kind != static_cast<std::uint8_t>(packet_kind::announcement)) {
        return try_send(dest, packet.header, packet.payload, packet.header.payload_bytes);
    }
    announcement said{};
    std::memcpy(&said, packet.payload, sizeof said);
    const send_operation *const send = announced_.find(said.sender);
    if (packet.takes_data && send != nullptr) {
        const auto result = try_announce(dest, packet.header, said, send, true);
        if (result != claim_result::congested) {
            return result;
        }
    }
    packet.takes_data = false;
    return try_announce(dest, packet.header, said, send, false);
}

void sender::do_later(pending_work &work) {
    const std::scoped_lock guard{core_.bare_lock()};
    do_later_locked(work);
}

void sender::be_served_by(doorbell *senders) noexcept {
    const std::scoped_lock guard{core_.bare_lock()};
    core_.have_senders(senders);
}

bool sender::drained() {
    const std::scoped_lock guard{core_.bare_lock()};
    return outbox_.waiting() == 0;
}

void sender::keep_general(bool general) {
    const std::scoped_lock guard{core_.bare_lock()};
    outbox_.keep_general(general);
}

bool sender::flush_locked(const fabric::packet_carrier *only) {
    bool any = false;
    outbox_.serve_packets([this, only, &any](int dest, auto &queue) {
        if (only != nullptr && core_.self.routes.to(dest).carrier != only) {
            return;
        }
        while (!queue.empty()) {
            const auto result = try_send_deferred_locked(dest, queue.front());
            if (result != claim_result::claimed && result != claim_result::failed) {
                return;
            }
            queue.pop_front();
            any = true;
        }
    });
    return any;
}

} // namespace lisle::protocol
