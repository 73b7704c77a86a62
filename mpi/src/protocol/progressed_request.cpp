// SPDX-License-Identifier: Apache-2.0
#include "protocol/progressed_request.hpp"

#include "protocol/engine.hpp"

namespace lisle::protocol {

void progressed_request::watch() {
    home->waits().add(*this);
}

void progressed_request::describe(wait_note &note) const {
    awaited_ranks{}.describe(note);
}

bool progressed_request::advance() {
    if (!ready()) {
        return true;
    }
    home->complete(*this); // gives the object away
    return false;
}

send_receive_request::send_receive_request(const typed_buffer &send_buffer, std::vector<std::byte> copy,
                                           int dest, int send_tag, const typed_buffer &receive_buffer,
                                           int source, int receive_tag, const channel &channel)
    : progressed_request{*channel.home}, copy_{std::move(copy)},
      receiving_{channel, receive_buffer, source, receive_tag}, sending_{send_buffer, channel, dest, send_tag,
                                                                         send_mode::standard} {
    sending_.keep(*send_buffer.type);
    receiving_.keep(*receive_buffer.type);
    if (!copy_.empty()) {
        sending_.buffer.address = copy_.data();
    }
}

void send_receive_request::start() {
    receiving_.start();
    sending_.start();
    watch();
}

void send_receive_request::describe(wait_note &note) const {
    if (!receiving_.complete.load(std::memory_order_acquire)) {
        receiving_.describe(note);
    }
    if (!sending_.complete.load(std::memory_order_acquire)) {
        sending_.describe(note);
    }
}

bool send_receive_request::ready() {
    // Acquire: as in wait(), see request.cpp.
    if (!receiving_.complete.load(std::memory_order_acquire) ||
        !sending_.complete.load(std::memory_order_acquire)) {
        return false;
    }
    result = receiving_.result;
    return true;
}

} // namespace lisle::protocol
