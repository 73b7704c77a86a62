// SPDX-License-Identifier: Apache-2.0
#include "protocol/checking/message_checks.hpp"

#include "base/checks.hpp"
#include "execution/rank.hpp"
#include "protocol/message/operation.hpp"

namespace lisle::protocol {

std::unique_ptr<message_checks> message_checks::make_for(rank &owner) {
    return checks(check_level::cheap) ? std::make_unique<message_checks>(owner) : nullptr;
}

message_checks::message_checks(rank &owner)
    : notes_{rank_type_notes.of(owner)}, wildcards_{checks(check_level::all) ? &rank_wildcards.of(owner)
                                                                             : nullptr} {}

std::optional<type_note> message_checks::describe(const typed_buffer &message, std::uint32_t call) {
    if (!type_notes::describes(*message.type)) {
        return std::nullopt;
    }
    return notes_.note_of(message, call);
}

std::uint16_t message_checks::annotate(std::uint8_t elements) const noexcept {
    return annotation{elements, wildcards_ != nullptr ? wildcards_->timestamp() : std::uint16_t{0}}.packed();
}

void message_checks::begin_receive(receive_operation &receive) {
    if (wildcards_ != nullptr) {
        watch_receive(receive);
    }
}

void message_checks::packet_arrived(std::uint16_t packed) noexcept {
    if (wildcards_ != nullptr) {
        wildcards_->note(annotation::of(packed).timestamp);
    }
}

void message_checks::message_arrived(const envelope &message, std::uint16_t packed,
                                     const receive_operation *taker, const matcher &stored) {
    if (wildcards_ == nullptr) {
        return;
    }
    wildcards_->arrived(message, annotation::of(packed).timestamp, taker != nullptr ? taker->posting : 0);
    if (taker != nullptr) {
        wildcards_->taken(*taker, message, stored);
    }
}

void message_checks::message_taken(const receive_operation &receive, const envelope &message,
                                   const matcher &stored) {
    if (wildcards_ != nullptr) {
        wildcards_->taken(receive, message, stored);
    }
}

void message_checks::follow(const message_observer &receiver) noexcept {
    packet_arrived(receiver.annotate(0));
}

void message_checks::compare(receive_operation &receive, std::uint8_t elements, const type_note *note) {
    if (note != nullptr || !type_notes::are_alike(elements, *receive.buffer.type)) [[unlikely]] {
        notes_.compare(receive, elements, note);
    }
}

void message_checks::compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner) {
    notes_.compare_kept(receive, elements, owner);
}

void message_checks::keep(const void *message_or_receive, const type_note &note) {
    notes_.keep(message_or_receive, note);
}

void message_checks::move(const void *message, const receive_operation &receive) {
    notes_.move(message, receive);
}

} // namespace lisle::protocol
