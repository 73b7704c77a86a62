// SPDX-License-Identifier: Apache-2.0
#include "protocol/checking/message_orders.hpp"

#include "base/thread_order.hpp"
#include "execution/rank.hpp"
#include "fabric/routes.hpp"
#include "protocol/message/operation.hpp"

namespace lisle::protocol {

namespace {

using thread_order::maker;
using thread_order::place;

place place_of(std::uint64_t context, int source, int tag, int dest) noexcept {
    return place{maker::message, context, static_cast<std::uint64_t>(source),
                 static_cast<std::uint64_t>(dest), static_cast<std::uint64_t>(tag)};
}

place place_of_receives(std::uint64_t context, int receiver) noexcept {
    return place{maker::receive, context, static_cast<std::uint64_t>(receiver)};
}

} // namespace

std::unique_ptr<message_orders> message_orders::make_for(const rank &owner, const fabric::routes &routes,
                                                         message_observer *next) {
    return thread_order::told() ? std::make_unique<message_orders>(owner.number(), routes, next) : nullptr;
}

std::uint32_t message_orders::begin_send(const envelope &message, int dest) {
    tell_sent(routes_, message, self_, dest);
    return passing_observer::begin_send(message, dest);
}

void message_orders::begin_receive(receive_operation &receive) {
    receive.ending = disposal::general; // which hears
    tell_receive(receive.pattern.context, self_);
    passing_observer::begin_receive(receive);
}

void tell_sent(const fabric::routes &routes, const envelope &message, int self, int dest) {
    if (!thread_order::told()) {
        return;
    }
    if (routes.share_addresses(self, dest)) {
        place_of(message.context, message.source, message.tag, dest).release();
    } else {
        place{maker::other_processes}.release();
    }
}

void tell_receive(std::uint64_t context, int self) {
    if (thread_order::told()) {
        place_of_receives(context, self).release();
    }
}

void hear_message(std::uint64_t context, const outcome &received, int self) {
    if (thread_order::told()) {
        place_of(context, received.source, received.tag, self).acquire();
        place{maker::other_processes}.acquire(); // the sender may be in one
    }
}

void hear_receive(std::uint64_t context, int dest) {
    if (thread_order::told()) {
        place_of_receives(context, dest).acquire();
    }
}

} // namespace lisle::protocol
