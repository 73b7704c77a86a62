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
    passing_observer::begin_receive(receive);
}

void message_log::message_arrived(const envelope &message, std::uint16_t annotation,
                                  const receive_operation *taker, const matcher &stored) {
    log_line(log_area::matching, rank_,
             "message arrives: " + words_for(message) +
                 (taker != nullptr ? "; the receive of " + words_for(taker->pattern) + " takes it"
                                   : "; unexpected"));
    passing_observer::message_arrived(message, annotation, taker, stored);
}

void message_log::message_taken(const receive_operation &receive, const envelope &message,
                                const matcher &stored) {
    log_line(log_area::matching, rank_,
             "receive of " + words_for(receive.pattern) + " takes the stored message of " +
                 words_for(message));
    passing_observer::message_taken(receive, message, stored);
}

} // namespace lisle::protocol
