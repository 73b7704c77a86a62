// SPDX-License-Identifier: Apache-2.0
#include "protocol/checking/message_log.hpp"

#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "execution/rank.hpp"
#include "protocol/message/operation.hpp"

namespace lisle::protocol {

namespace {

/// "source 1, tag any, context 4a0"
std::string words_for(const envelope &what) {
    const auto number = [](int value, int any) {
        return value == any ? std::string{"any"} : std::to_string(value);
    };
    return sentence("source ", number(what.source, MPI_ANY_SOURCE), ", tag ", number(what.tag, MPI_ANY_TAG),
                    ", context ", hexadecimal(what.context));
}

} // namespace

std::unique_ptr<message_log> message_log::make_for(const rank &owner, message_observer *checks) {
    return logs(log_area::matching, log_level::packets)
               ? std::make_unique<message_log>(owner.number(), checks)
               : nullptr;
}

void message_log::begin_receive(receive_operation &receive) {
    log_line(log_area::matching, rank_, "receive begins: " + words_for(receive.pattern));
    if (checks_ != nullptr) {
        checks_->begin_receive(receive);
    }
}

void message_log::message_arrived(const envelope &message, std::uint16_t annotation,
                                  const receive_operation *taker, const matcher &stored) {
    log_line(log_area::matching, rank_,
             "message arrives: " + words_for(message) +
                 (taker != nullptr ? "; the receive of " + words_for(taker->pattern) + " takes it"
                                   : "; unexpected"));
    if (checks_ != nullptr) {
        checks_->message_arrived(message, annotation, taker, stored);
    }
}

void message_log::message_taken(const receive_operation &receive, const envelope &message,
                                const matcher &stored) {
    log_line(log_area::matching, rank_,
             "receive of " + words_for(receive.pattern) + " takes the stored message of " +
                 words_for(message));
    if (checks_ != nullptr) {
        checks_->message_taken(receive, message, stored);
    }
}

void message_log::follow(const message_observer &receiver) noexcept {
    if (checks_ != nullptr) {
        checks_->follow(receiver);
    }
}

std::uint32_t message_log::begin_send() {
    return checks_ != nullptr ? checks_->begin_send() : 0;
}
std::optional<type_note> message_log::describe(const typed_buffer &message, std::uint32_t call) {
    return checks_ != nullptr ? checks_->describe(message, call) : std::nullopt;
}
std::uint16_t message_log::annotate(std::uint8_t elements) const noexcept {
    return checks_ != nullptr ? checks_->annotate(elements) : std::uint16_t{0};
}
void message_log::packet_arrived(std::uint16_t annotation) noexcept {
    if (checks_ != nullptr) {
        checks_->packet_arrived(annotation);
    }
}
void message_log::compare(receive_operation &receive, std::uint8_t elements, const type_note *note) {
    if (checks_ != nullptr) {
        checks_->compare(receive, elements, note);
    }
}
void message_log::compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner) {
    if (checks_ != nullptr) {
        checks_->compare_kept(receive, elements, owner);
    }
}
void message_log::keep(const void *message_or_receive, const type_note &note) {
    if (checks_ != nullptr) {
        checks_->keep(message_or_receive, note);
    }
}
void message_log::move(const void *message, const receive_operation &receive) {
    if (checks_ != nullptr) {
        checks_->move(message, receive);
    }
}

} // namespace lisle::protocol
