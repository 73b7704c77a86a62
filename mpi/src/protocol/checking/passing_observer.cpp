// SPDX-License-Identifier: Apache-2.0
#include "protocol/checking/passing_observer.hpp"

namespace lisle::protocol {

std::uint32_t passing_observer::begin_send(const envelope &message, int dest) {
    return next_ != nullptr ? next_->begin_send(message, dest) : 0;
}
std::optional<type_note> passing_observer::describe(const typed_buffer &message, std::uint32_t call) {
    return next_ != nullptr ? next_->describe(message, call) : std::nullopt;
}
std::uint16_t passing_observer::annotate(std::uint8_t elements) const noexcept {
    return next_ != nullptr ? next_->annotate(elements) : std::uint16_t{0};
}
void passing_observer::begin_receive(receive_operation &receive) {
    if (next_ != nullptr) {
        next_->begin_receive(receive);
    }
}
void passing_observer::packet_arrived(std::uint16_t annotation) noexcept {
    if (next_ != nullptr) {
        next_->packet_arrived(annotation);
    }
}
void passing_observer::message_arrived(const envelope &message, std::uint16_t annotation,
                                       const receive_operation *taker, const matcher &stored) {
    if (next_ != nullptr) {
        next_->message_arrived(message, annotation, taker, stored);
    }
}
void passing_observer::message_taken(const receive_operation &receive, const envelope &message,
                                     const matcher &stored) {
    if (next_ != nullptr) {
        next_->message_taken(receive, message, stored);
    }
}
void passing_observer::follow(const message_observer &receiver) noexcept {
    if (next_ != nullptr) {
        next_->follow(receiver);
    }
}
void passing_observer::compare(receive_operation &receive, std::uint8_t elements, const type_note *note) {
    if (next_ != nullptr) {
        next_->compare(receive, elements, note);
    }
}
void passing_observer::compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner) {
    if (next_ != nullptr) {
        next_->compare_kept(receive, elements, owner);
    }
}
void passing_observer::keep(const void *message_or_receive, const type_note &note) {
    if (next_ != nullptr) {
        next_->keep(message_or_receive, note);
    }
}
void passing_observer::move(const void *message, const receive_operation &receive) {
    if (next_ != nullptr) {
        next_->move(message, receive);
    }
}

} // namespace lisle::protocol
