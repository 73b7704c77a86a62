// SPDX-License-Identifier: Apache-2.0
// How messages leave whose packets say of what types they are (matching/type_notes.hpp).
#include <cstring>
#include <optional>

#include "datatype/copy.hpp"
#include "protocol/handlers.hpp"

namespace lisle::protocol {

using fabric::claim_result;

namespace {

std::byte *put(std::byte *to, const void *from, std::size_t bytes) noexcept {
    if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
    return to + bytes;
}

/// False where packets are so short that messages go without.
bool has_room_for_note(const fabric::route &way) noexcept {
    return sizeof(type_note) + sizeof(announcement) <= way.limits.largest_payload;
}

} // namespace

bool engine::handlers::describes(const engine &home, const datatype &type, int dest) noexcept {
    return type_notes::describes(type) && has_room_for_note(home.routes_.to(dest));
}

claim_result engine::handlers::try_send_described(engine &home, const typed_buffer &buffer,
                                                  const envelope &what, int dest, std::size_t bytes) {
    const std::size_t all = sizeof(type_note) + bytes;
    if (!home.goes_unasked(dest, buffer, all)) {
        return claim_result::congested;
    }
    const type_note note = home.notes_->note_of(buffer, home.notes_->number_call());
    fabric::packet_slot slot{};
    auto &carrier = *home.routes_.to(dest).carrier;
    const auto result = carrier.try_claim(home.number_, dest, all, false, slot);
    if (result == claim_result::claimed) {
        *slot.header = {what.context,
                        what.source,
                        what.tag,
                        static_cast<std::uint8_t>(packet_kind::described_eager),
                        static_cast<std::uint8_t>(buffer.type->basic()),
                        home.own_remark(),
                        static_cast<std::uint32_t>(all)};
        pack(buffer, 0, {put(slot.payload, &note, sizeof note), bytes});
        carrier.publish(dest, slot);
    }
    return result;
}

claim_result engine::handlers::try_send_checked(engine &home, int dest, fabric::packet_header header,
                                                const void *payload, std::size_t bytes,
                                                const typed_buffer &data, std::size_t data_bytes,
                                                bool solicited) {
    const fabric::route &way = home.routes_.to(dest);
    std::optional<type_note> note;
    std::uint8_t elements = 0;
    if (header.kind == static_cast<std::uint8_t>(packet_kind::announcement)) {
        announcement said{};
        std::memcpy(&said, payload, sizeof said);
        if (const send_operation *const send = home.sends_.find(said.sender)) {
            elements = static_cast<std::uint8_t>(send->buffer.type->basic());
            if (describes(home, *send->buffer.type, dest)) {
                note = home.notes_->note_of(send->buffer, send->place);
                header.kind = static_cast<std::uint8_t>(packet_kind::described_announcement);
            }
        }
    }
    header.remark = home.own_remark(elements);
    const std::size_t all = (note ? sizeof *note : 0) + bytes + data_bytes;
    if (data_bytes != 0 && all > way.limits.largest_payload) {
        return claim_result::congested; // the data go by themselves
    }
    fabric::packet_slot slot{};
    const auto result = way.carrier->try_claim(home.number_, dest, all, solicited, slot);
    if (result != claim_result::claimed) {
        return result;
    }
    *slot.header = header;
    slot.header->payload_bytes = static_cast<std::uint32_t>(all);
    std::byte *end = note ? put(slot.payload, &*note, sizeof *note) : slot.payload;
    end = put(end, payload, bytes);
    if (data_bytes != 0) {
        pack(data, 0, {end, data_bytes});
    }
    slot.may_overtake = answers_only(header.kind);
    way.carrier->publish(dest, slot);
    return result;
}

} // namespace lisle::protocol
