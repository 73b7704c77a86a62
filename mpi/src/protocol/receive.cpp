// SPDX-License-Identifier: Apache-2.0
// How receives begin: with a message that is already here, or posted for one that will come.
#include <mutex>

#include "base/thread_order.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/short_path.hpp"

namespace lisle::protocol {

void engine::start_observed(receive_operation &receive, const group &peers) {
    const thread_order::library_code unseen;
    receive.from = peer_named(peers, receive.pattern.source);
    if (core_.observer != nullptr) {
        core_.observer->begin_receive(receive);
    }
    start(receive);
}

bool engine::may_publish(const receive_operation &receive) const noexcept {
    constexpr std::size_t least = std::size_t{256}
                                  << 10; // lines that both sides look at cost some KiB copied
    if (!receives_.published().possible() || receive.pattern.wildcards() != 0 || receive.from < 0 ||
        receive.captures || receive.pieces != nullptr || !receive.buffer.type->contiguous()) {
        return false;
    }
    const fabric::route &way = routes().to(receive.from);
    const auto bytes = static_cast<std::size_t>(receive.buffer.bytes());
    return way.node != nullptr && !way.same_address_space && bytes >= least &&
           (way.node->cooperative_copy_of(core_.self.number) != nullptr ||
            way.node->holds(receive.buffer.address, bytes));
}

void engine::start_and_publish(receive_operation &receive) {
    std::unique_lock held{core_};
    receives_.enter_started_locked();
    if (failed_.any()) [[unlikely]] {
        held.release();
        start_locked(receive);
        return;
    }
    unexpected_message *const message = receives_.take_for_locked(receive);
    if (message == nullptr) {
        receives_.post_and_publish_locked(receive);
    }
    core_.expect_locked(receive, receive.from);
    held.unlock();
    if (message != nullptr) {
        transfers_.accept(*message, receive);
        return;
    }
    // Its message may have come, and this thread be about to compute. Either this look finds it, or the
    // sender finds the receive: sequentially consistent, as in announced_sends::claim_receive().
    std::atomic_thread_fence(std::memory_order_seq_cst);
    mover_.move();
}

void engine::start(receive_operation &receive) {
    if (may_publish(receive)) [[unlikely]] {
        start_and_publish(receive);
        return;
    }
    std::unique_lock held{core_};
    receives_.enter_started_locked();
    if (receives_.stores_nothing() && core_.polled.empty()) [[likely]] {
        receives_.post_locked(receive);
        return;
    }
    held.release();
    start_locked(receive);
}

void engine::start_locked(receive_operation &receive) {
    std::unique_lock held{core_, std::adopt_lock};
    unexpected_message *const message = receives_.take_for_locked(receive);
    if (message == nullptr) {
        if (const int error = failed_.error_of(receive.pattern.context, receive.from); error != MPI_SUCCESS)
            [[unlikely]] {
            core_.fail_locked(receive, error);
            held.unlock();
            mover_.move(); // who tries again and again must hear of a revocation
            return;
        }
        receives_.post_locked(receive);
    }
    core_.expect_locked(receive, receive.from);
    held.unlock();
    if (message != nullptr) {
        transfers_.accept(*message, receive);
    }
}

bool engine::start_and_look(receive_operation &receive) {
    std::unique_lock held{core_};
    receives_.enter_started_locked();
    const bool is_plain = receives_.stores_nothing() && !waits_.has_progressors() && !failed_.any();
    if (is_plain) [[likely]] {
        receives_.post_locked(receive);
        core_.expect_locked(receive, receive.from);
        held.release();
        return mover_.look_locked(receive, waits_.brief_looks());
    }
    held.release();
    start_locked(receive);
    return receive.complete.load(std::memory_order_acquire);
}

bool engine::try_receive_short_typed(const typed_buffer &buffer, const envelope &pattern,
                                     MPI_Status *status) {
    if (core_.observer == nullptr || out_.waiting().short_end() == 0 || !in_.has_mailbox() ||
        !core_.polled.empty() || !buffer.type->plain() || waits_.has_progressors() ||
        !core_.bare_lock().try_lock()) {
        return false;
    }
    auto *const to = static_cast<std::byte *>(buffer.address);
    const wanted_elements elements{buffer.type->mark(), comparison::all};
    const take_result result =
        take_if_idle(receives_, in_, out_, waits_, to, buffer.bytes(), pattern, status, elements);
    core_.bare_lock().unlock();
    short_receive wanted{to, buffer.bytes(), pattern, status, elements};
    return result == take_result::taken || (result == take_result::too_early && fibers_.receive(wanted));
}

void engine::cancel(receive_operation &receive) {
    const std::scoped_lock guard{core_};
    receives_.enter_started_locked();
    if (receive.posted && receives_.withdraw_locked(receive)) {
        receive.result.cancelled = true;
        core_.complete_locked(receive);
    }
}

unexpected_message *engine::probe(const envelope &pattern, bool take, outcome &found) {
    const std::scoped_lock guard{core_.bare_lock()};
    receives_.enter_started_locked(); // what they take is not there for a probe
    unexpected_message *const message = receives_.probe_locked(pattern, take);
    if (message == nullptr) {
        core_.polled.ask_all_once(); // who probes waits for what nobody has posted a receive for
        return nullptr;
    }
    found.source = message->what.source;
    found.tag = message->what.tag;
    found.bytes = message->bytes;
    return message;
}

bool look_for_message(const channel &channel, int source, int tag, bool take, outcome &found,
                      unexpected_message *&message) {
    engine &mine = *channel.home;
    failures &known = mine.failures();
    if (source == MPI_PROC_NULL) {
        found.source = MPI_PROC_NULL;
        found.error = known.error_without_peer(channel.context);
        return true;
    }
    // First: what a rank has sent before it failed has come by then.
    found.error =
        known.any() ? known.error_of(channel.context, peer_named(*channel.peers, source)) : MPI_SUCCESS;
    message = mine.probe({channel.context, source, tag}, take, found);
    if (message != nullptr) {
        found.error = MPI_SUCCESS;
    }
    return message != nullptr || found.error != MPI_SUCCESS;
}

void throw_if_lost(const outcome &found, const channel &channel, int source) {
    if (found.error != MPI_SUCCESS) [[unlikely]] {
        throw_failure(found.error, peer_named(*channel.peers, source));
    }
}

receive_operation *receive_operation::make_anew(engine &home) {
    auto *const made = new receive_operation{home, {}, {}};
    made->ending = disposal::receive;
    return made;
}

void receive_operation::start() {
    complete.store(false, std::memory_order_relaxed);
    active = true;
    result = {};
    streamed = stream_end = 0;
    if (pattern.source == MPI_PROC_NULL) {
        result.source = MPI_PROC_NULL;
        result.error = home->failures().error_without_peer(pattern.context);
        home->complete(*this);
        return;
    }
    tell_receive(pattern.context, home->core().self.number);
    home->start(*this);
}

void receive_operation::describe(wait_note &note) const {
    note.add({pattern.context, buffer.bytes(), pattern.source, pattern.tag, wait_note::sort::receive});
}

void receive_operation::hear() const {
    hear_message(pattern.context, result, home->core().self.number);
}

void receive_operation::cancel() {
    home->cancel(*this);
}

outcome receive_in_general(const typed_buffer &buffer, const channel &channel, int source, int tag,
                           std::uint32_t posting) {
    receive_operation operation{channel, buffer, source, tag};
    operation.posting = posting;
    if (source == MPI_PROC_NULL) {
        operation.result.source = MPI_PROC_NULL;
        operation.result.error = channel.home->failures().error_without_peer(channel.context);
    } else if (!channel.home->start_and_look(operation)) {
        wait(operation);
    }
    return operation.result;
}

outcome receive(const typed_buffer &buffer, const channel &channel, int source, int tag) {
    MPI_Status status;
    return try_receive_short(buffer, channel, source, tag, &status)
               ? outcome{.source = status.MPI_SOURCE,
                         .tag = status.MPI_TAG,
                         .bytes = outcome::load(status).bytes}
               : receive_in_general(buffer, channel, source, tag);
}

request *start_receive(const typed_buffer &buffer, const channel &channel, int source, int tag) {
    return start_receive_quickly(buffer, channel, source, tag);
}

outcome send_receive(const typed_buffer &send_buffer, int dest, int send_tag,
                     const typed_buffer &receive_buffer, int source, int receive_tag, const channel &channel,
                     send_mode mode) {
    if (mode == send_mode::standard && try_send_short(send_buffer, channel, dest, send_tag)) {
        return receive(receive_buffer, channel, source, receive_tag); // nothing is left but to wait for it
    }
    return send_receive_in_general(send_buffer, dest, send_tag, receive_buffer, source, receive_tag, channel,
                                   mode);
}

outcome send_receive_in_general(const typed_buffer &send_buffer, int dest, int send_tag,
                                const typed_buffer &receive_buffer, int source, int receive_tag,
                                const channel &channel, send_mode mode, std::uint32_t posting) {
    receive_operation receiving{channel, receive_buffer, source, receive_tag};
    receiving.posting = posting;
    receiving.start();
    try {
        send_in_general(send_buffer, channel, dest, send_tag, mode);
    } catch (...) {
        receiving.cancel(); // nothing may name it any more
        wait(receiving);
        throw;
    }
    wait(receiving);
    return receiving.result;
}

} // namespace lisle::protocol
