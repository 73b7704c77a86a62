// SPDX-License-Identifier: Apache-2.0
// How receives begin: with a message that is already here, or posted for one that will come.
#include <mutex>

#include "protocol/engine.hpp"

namespace lisle::protocol {

void engine::start(receive_operation &receive) {
    unexpected_message *message = nullptr;
    {
        const std::scoped_lock guard{lock_};
        message = matcher_.find(receive.pattern);
        if (message == nullptr) [[likely]] {
            matcher_.post(receive);
            return;
        }
        matcher_.take(*message);
        update_congestion();
    }
    accept(*message, receive);
}

void engine::accept(unexpected_message &message, receive_operation &receive) {
    if (receive.captures) [[unlikely]] {
        receive.captured = &message;
        complete(receive);
        return;
    }
    receive.result.source = message.what.source;
    receive.result.tag = message.what.tag;
    receive.sender = message.sender;
    const bool has_data = !message.announced() || message.stored != 0 || message.bytes == 0;
    if (has_data) {
        store_data(receive, message.data());
        if (message.announced()) {
            finish_sender(message.sender);
        }
        complete(receive);
    }
    unexpected_message::destroy(&message);
    if (!has_data) {
        transfer(receive);
    }
}

void engine::cancel(receive_operation &receive) {
    lock_.lock();
    if (receive.posted) {
        matcher_.withdraw(receive);
        receive.result.cancelled = true;
        complete_locked(receive);
    }
    unlock_and_follow_up();
}

unexpected_message *engine::probe(const envelope &pattern, bool take, outcome &found) {
    const std::scoped_lock guard{lock_};
    unexpected_message *const message = matcher_.find(pattern);
    if (message != nullptr) {
        found.source = message->what.source;
        found.tag = message->what.tag;
        found.bytes = message->bytes;
        if (take) {
            matcher_.take(*message);
            update_congestion();
        }
    }
    return message;
}

void receive_operation::start() {
    complete.store(false, std::memory_order_relaxed);
    active = true;
    result = {};
    streamed = stream_end = 0;
    if (pattern.source == MPI_PROC_NULL) {
        result.source = MPI_PROC_NULL;
        owner.engine().complete(*this);
        return;
    }
    owner.engine().start(*this);
}

void receive_operation::cancel() {
    owner.engine().cancel(*this);
}

outcome receive(const typed_buffer &buffer, const channel &channel, int source, int tag) {
    receive_operation operation{this_rank(), buffer, {channel.context, source, tag}};
    operation.start();
    wait(operation);
    return operation.result;
}

request *start_receive(const typed_buffer &buffer, const channel &channel, int source, int tag) {
    auto *const operation = new receive_operation{this_rank(), buffer, {channel.context, source, tag}};
    operation->keep(*buffer.type);
    operation->start();
    return operation;
}

outcome send_receive(const typed_buffer &send_buffer, int dest, int send_tag,
                     const typed_buffer &receive_buffer, int source, int receive_tag,
                     const channel &channel) {
    rank &self = this_rank();
    receive_operation receiving{self, receive_buffer, {channel.context, source, receive_tag}};
    receiving.start();
    send_operation sending{self, send_buffer, channel, dest, send_tag, send_mode::standard};
    sending.start();
    wait(sending);
    wait(receiving);
    return receiving.result;
}

} // namespace lisle::protocol
