// SPDX-License-Identifier: Apache-2.0
#include "protocol/rendezvous/announced_receives.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <sched.h>
#include <utility>

#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "execution/shared_task.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/checking/strict_types.hpp"
#include "protocol/message/process_seal.hpp"
#include "protocol/message/read_payload.hpp"
#include "protocol/message/refuse.hpp"
#include "protocol/rendezvous/announced_sends.hpp"
#include "protocol/rendezvous/piece_queue.hpp"

namespace lisle::protocol {

namespace {

// Within a process both sides copy messages of at least so many bytes, in such pieces, measured with
// mpi/bench/.
constexpr MPI_Count least_shared_copy = MPI_Count{512} << 10;
constexpr MPI_Count shared_piece = MPI_Count{256} << 10;

} // namespace

// ---- announcements ----

announced_message announced_receives::read_announcement(const arrival &packet) const {
    announced_message said{read_payload<announcement>(packet), packet.peer, packet.flags,
                           annotation::of(packet.annotation).elements};
    if (said.sender == 0 || said.bytes > INT64_MAX) {
        refuse(packet.peer, "announces a message of an impossible size", said.bytes);
    }
    // Who knows the seal is of this process.
    if (said.here() ? said.key != process_seal() || said.address == 0 : said.plain()) {
        refuse(packet.peer, "says where data of another process lies", said.address);
    }
    return said;
}

void announced_receives::on_announcement(const arrival &packet) {
    const announced_message said = read_announcement(packet);
    const bool carries = (packet.flags & carries_data) != 0;
    const auto data = carries ? packet.payload.subspan(sizeof(announcement)) : std::span<const std::byte>{};
    if (carries && data.size() != said.bytes) {
        refuse(packet.peer, "carries less than it announces", data.size());
    }
    receive_operation *receive = nullptr;
    if (core_.observer == nullptr) [[likely]] {
        receive = receives_.match_announced(packet.what, said.sender);
    } else {
        receive = receives_.match_observed(packet.what);
        core_.observer->message_arrived(packet.what, packet.annotation, receive, receives_.tables());
    }
    if (receive == nullptr || receive->captures) {
        receives_.or_put_back(receive, [&] { keep_locked(packet, said, data, receive); });
        return;
    }
    receive->result.source = packet.what.source;
    receive->result.tag = packet.what.tag;
    receive->sender = said;
    if (receive->publication != 0) [[unlikely]] {
        return; // the sender has claimed it, and reports
    }
    if (carries) {
        store_locked(*receive, data, packet.note);
        return;
    }
    if (packet.note != nullptr) {
        receives_.or_put_back(receive, [&] { core_.observer->keep(receive, *packet.note); });
    }
    core_.do_unlocked(*receive);
}

void announced_receives::store_locked(receive_operation &receive, std::span<const std::byte> data,
                                      const type_note *note) {
    store_data(receive, data);
    if (receive.sender.elements != 0) [[unlikely]] {
        compare(receive, receive.sender.elements, note);
    }
    end_locked(receive);
}

void announced_receives::compare(receive_operation &receive, std::uint8_t elements, const type_note *note) {
    if (core_.observer != nullptr) {
        core_.observer->compare(receive, elements, note);
    } else {
        compare_strict(core_.self.owner, receive, static_cast<basic_type>(elements));
    }
}

void announced_receives::compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner) {
    if (core_.observer != nullptr) {
        core_.observer->compare_kept(receive, elements, owner);
    } else {
        compare_strict(core_.self.owner, receive, static_cast<basic_type>(elements));
    }
}

void announced_receives::keep_locked(const arrival &packet, const announced_message &sender,
                                     std::span<const std::byte> data, receive_operation *captor) {
    unexpected_message *const message = unexpected_message::make_whole(*core_.self.home, packet.what, data);
    message->bytes = static_cast<MPI_Count>(sender.bytes);
    message->sender = sender;
    message->elements = sender.elements;
    if (packet.note != nullptr) {
        core_.observer->keep(message, *packet.note);
    }
    receives_.keep_locked(*message, captor);
}

void announced_receives::on_cancel(const arrival &packet) {
    const std::uint64_t sender = packet.what.context;
    unexpected_message *const message = receives_.find_announced_locked(packet.peer, sender);
    // The answer first: without memory for it the question comes again, and is to be answered alike.
    out_.send_control_locked(packet.peer, {sender, 0, message != nullptr ? 1 : 0,
                                           static_cast<std::uint8_t>(packet_kind::cancel_answer), 0, 0, 0});
    if (message != nullptr) {
        receives_.take_locked(*message);
        unexpected_message::destroy(message);
    }
}

// ---- matched messages ----

void announced_receives::accept(unexpected_message &message, receive_operation &receive) {
    if (receive.captures) [[unlikely]] {
        receive.captured = &message;
        core_.complete(receive);
        return;
    }
    receive.result.source = message.what.source;
    receive.result.tag = message.what.tag;
    receive.sender = message.sender;
    if (message.has_data()) {
        store_data(receive, message.data());
        if (message.elements != 0) [[unlikely]] {
            compare_kept(receive, message.elements, &message);
        }
        const bool is_awaited = message.announced();
        unexpected_message::destroy(&message);
        if (is_awaited) {
            end(receive);
        } else {
            core_.complete(receive);
        }
        return;
    }
    if (core_.observer != nullptr && message.elements != 0) [[unlikely]] {
        core_.observer->move(&message, receive);
    }
    unexpected_message::destroy(&message);
    transfer(receive);
}

const void *announced_receives::readable(unexpected_message &message) {
    if (message.announced() && message.sender.here()) {
        const typed_buffer &theirs = reinterpret_cast<send_operation *>(message.sender.address)->buffer;
        if (theirs.type->contiguous() && message.bytes != 0) {
            return theirs.address;
        }
    }
    return message.has_data() ? message.data().data() : nullptr;
}

void announced_receives::discard(unexpected_message &message) {
    if (message.announced()) {
        finish_sender(message.sender);
    }
    unexpected_message::destroy(&message);
}

void announced_receives::transfer(receive_operation &receive) {
    try {
        fetch(receive);
    } catch (const std::bad_alloc &) { // the sender waits, so it is tried again
        out_.do_later(receive);
    }
}

void announced_receives::fetch(receive_operation &receive) {
    const announced_message sender = receive.sender;
    const MPI_Count bytes = measure(receive);
    if (sender.here()) {
        // First: behind the copy it would wait for all of the copy's stores.
        core_.counts.add(counted::copied_bytes, static_cast<std::uint64_t>(bytes));
        copy_here(receive, bytes);
    } else if (bytes != 0) {
        if (bytes >= least_shared_copy && copy_cooperatively(receive, bytes)) {
            return; // the side that ends it goes on
        }
        if (!copy_by_address(receive, bytes)) {
            fetch(receive, bytes);
            return;
        }
    }
    end(receive);
}

MPI_Count announced_receives::measure(receive_operation &receive) {
    const announced_message &sender = receive.sender;
    const MPI_Count bytes = std::min(receive.buffer.bytes(), static_cast<MPI_Count>(sender.bytes));
    receive.result.bytes = bytes;
    receive.result.error = bytes < static_cast<MPI_Count>(sender.bytes) ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (sender.elements != 0) [[unlikely]] {
        compare_kept(receive, sender.elements, &receive);
    }
    return bytes;
}

void announced_receives::copy_here(const receive_operation &receive, MPI_Count bytes) {
    const announced_message &sender = receive.sender;
    const typed_buffer data = sender.plain() ? typed_buffer{reinterpret_cast<const void *>(sender.sender),
                                                            static_cast<MPI_Count>(sender.bytes), byte_type()}
                                             : reinterpret_cast<send_operation *>(sender.address)->buffer;
    job &all = core_.self.job;
    if (bytes < least_shared_copy || all.oversubscribed()) {
        copy(data, receive.buffer, 0, bytes);
        return;
    }
    const rank &owner = core_.self.owner;
    // Another rank that waits has no part in it and would answer its own peers later.
    const bool receiver_copies = &this_rank() == &owner;
    const rank *const helper = receiver_copies ? all.find(sender.peer) : &owner;
    if (helper == nullptr) {
        copy(data, receive.buffer, 0, bytes);
        return;
    }
    struct task {
        const typed_buffer &from, &to;
        MPI_Count bytes;
    } whole{data, receive.buffer, bytes};
    share_task(
        *helper, (bytes + shared_piece - 1) / shared_piece,
        [](void *context, long piece) {
            const task &mine = *static_cast<task *>(context);
            const MPI_Count offset = piece * shared_piece;
            copy(mine.from, mine.to, offset, std::min(shared_piece, mine.bytes - offset));
        },
        &whole, [] { sched_yield(); });
}

void announced_receives::finish_sender(const announced_message &sender) {
    if (sender.here()) {
        auto &sending = *reinterpret_cast<send_operation *>(sender.address);
        // The cache line that the sender looks at, and no other one of its lines: each is a way to its core.
        // A watched send has no observer to tell.
        if (!sending.end_if_watched()) {
            sending.table->finish(sending, core_.observer);
        }
        return;
    }
    const std::scoped_lock guard{core_};
    tell_done_locked(sender);
}

void announced_receives::end(receive_operation &receive) {
    if (receive.sender.here()) {
        finish_sender(receive.sender);
        core_.complete(receive);
        return;
    }
    const std::scoped_lock guard{core_};
    end_locked(receive);
}

void announced_receives::end_locked(receive_operation &receive) {
    try {
        tell_done_locked(receive.sender);
    } catch (const std::bad_alloc &) {
        receive.what = pending_work::kind::untold;
        out_.do_later_locked(receive);
        return;
    }
    core_.complete_locked(receive);
}

void announced_receives::tell_done_locked(const announced_message &sender) {
    out_.send_control_locked(sender.peer,
                             {sender.sender, 0, 0, static_cast<std::uint8_t>(packet_kind::done), 0, 0, 0});
}

bool announced_receives::copy_by_address(const receive_operation &receive, MPI_Count bytes) {
    const announced_message &sender = receive.sender;
    fabric::shared_memory *const node = core_.self.routes.to(sender.peer).node;
    if (sender.address == 0 || node == nullptr) {
        return false;
    }
    const auto data = node->pin(sender.peer, sender.address, static_cast<std::size_t>(bytes));
    if (data.address() == nullptr) {
        return false;
    }
    copy({data.address(), bytes, byte_type()}, receive.buffer, 0, bytes);
    core_.counts.add(counted::read_bytes, static_cast<std::uint64_t>(bytes));
    return true;
}

void announced_receives::fetch(receive_operation &receive, MPI_Count bytes) {
    if (prefer_stream(receive, bytes) || copy_cooperatively(receive, bytes) ||
        read_from_peer(receive, bytes)) {
        return;
    }
    const std::scoped_lock guard{core_};
    ask_for_stream_locked(receive, bytes);
}

// ---- streams ----

void announced_receives::ask_again(receive_operation &receive) {
    const std::scoped_lock guard{core_};
    ask_for_stream_locked(receive, receive.stream_end);
}

void announced_receives::ask_for_stream_locked(receive_operation &receive, MPI_Count bytes) {
    if (const int error = failed_.error_of(receive.pattern.context, receive.sender.peer);
        error != MPI_SUCCESS) [[unlikely]] {
        core_.fail_locked(receive, error);
        return;
    }
    receive.streamed = 0;
    receive.stream_end = bytes;
    try {
        tell_number_locked(receive, [&] {
            const clear_to_send clear{receive.sender.sender, receive.id, static_cast<std::uint64_t>(bytes)};
            out_.send_control_locked(
                receive.sender.peer,
                {0, 0, 0, static_cast<std::uint8_t>(packet_kind::clear_to_send), 0, 0, 0}, &clear,
                sizeof clear);
        });
    } catch (const std::bad_alloc &) {
        receive.what = pending_work::kind::unasked;
        out_.do_later_locked(receive);
        return;
    }
    core_.counts.add(counted::streamed_bytes, static_cast<std::uint64_t>(bytes));
}

bool announced_receives::prefer_stream(receive_operation &receive, MPI_Count bytes) {
    const fabric::route &way = core_.self.routes.to(receive.sender.peer);
    const auto total = static_cast<std::size_t>(bytes);
    if (receive.sender.address == 0 || way.node == nullptr || total < way.limits.least_read ||
        total >= way.limits.surely_read || way.node->cooperative_copy_of(core_.self.number) == nullptr) {
        return false;
    }
    const std::scoped_lock guard{core_};
    if (choice_.next() != path_choice::stream) {
        return false;
    }
    choice_.begin(&receive, path_choice::stream, core_.self.job.clock().nanoseconds());
    ask_for_stream_locked(receive, bytes);
    return true;
}

void announced_receives::on_data(const arrival &packet) {
    receive_operation *const receive = streaming_.find(packet.what.context);
    if (receive == nullptr && failed_.any()) {
        return; // it has ended
    }
    if (receive == nullptr || receive->sender.peer != packet.peer ||
        static_cast<MPI_Count>(packet.payload.size()) > receive->stream_end - receive->streamed) {
        refuse(packet.peer, "brings data that nobody asked for", packet.payload.size());
    }
    if (receive->pieces != nullptr) [[unlikely]] {
        keep_piece(*receive, packet.payload);
    } else {
        unpack(receive->buffer, receive->streamed, packet.payload);
    }
    receive->streamed += static_cast<MPI_Count>(packet.payload.size());
    if (receive->streamed == receive->stream_end) {
        streaming_.erase(packet.what.context);
        choice_.end(receive, static_cast<std::uint64_t>(receive->stream_end), core_.self.job.clock());
        core_.complete_locked(*receive);
    }
}

void announced_receives::on_delivered(const arrival &packet) {
    const auto report = read_payload<delivery_report>(packet);
    receive_operation *const receive = receives_.published().in_slot(report.slot);
    const bool is_its_own = receive != nullptr && receive->from == packet.peer && !receive->posted &&
                            receives_.published().is_claimed_for(*receive, report.sender);
    if (!is_its_own && failed_.any()) {
        return; // it has ended
    }
    if (!is_its_own) {
        refuse(packet.peer, "reports the end of a receive that it has not claimed", report.slot);
    }
    receives_.published().end(*receive);
    if (report.copied == 0) {
        core_.do_unlocked(*receive);
        return;
    }
    core_.counts.add(counted::read_bytes, static_cast<std::uint64_t>(measure(*receive)));
    core_.complete_quietly_locked(*receive);
}

void announced_receives::end_failed_locked() {
    receives_.end_claimed_locked([this](int peer) { return failed_.has_failed(peer); },
                                 [this](receive_operation &receive) {
                                     core_.fail_locked(
                                         receive, failed_.error_of(receive.pattern.context, receive.from));
                                 });
    streaming_.each([this](std::uint64_t id, receive_operation &receive) {
        if (const int error = failed_.error_of(receive.pattern.context, receive.sender.peer);
            error != MPI_SUCCESS) {
            streaming_.erase(id);
            core_.fail_locked(receive, error);
        }
    });
}

// ---- messages in pieces ----

void announced_receives::ask_for_pieces(receive_operation &receive) {
    const std::scoped_lock guard{core_};
    in_.count_pieces(+1);
    core_.expect_locked(receive, receive.sender.peer);
    ask_for_stream_locked(receive, receive.buffer.bytes());
}

void announced_receives::keep_piece(receive_operation &receive, std::span<const std::byte> payload) {
    auto &piece = receive.pieces->waiting.emplace_back();
    if (in_.hold_payload(payload)) {
        piece.bytes = payload;
        return;
    }
    try {
        piece.copy.reset(new std::byte[payload.size()]);
    } catch (...) {
        receive.pieces->waiting.pop_back();
        throw;
    }
    std::ranges::copy(payload, piece.copy.get());
    piece.bytes = {piece.copy.get(), payload.size()};
}

bool announced_receives::next_piece(receive_operation &receive, std::span<const std::byte> &piece) {
    const std::scoped_lock guard{core_};
    piece_queue &pieces = *receive.pieces;
    if (std::exchange(pieces.shown, false)) {
        if (!pieces.waiting.front().copy) {
            in_.release_payload();
        }
        pieces.waiting.pop_front();
    }
    if (!pieces.waiting.empty()) {
        pieces.shown = true;
        piece = pieces.waiting.front().bytes;
        return true;
    }
    if (!receive.complete.load(std::memory_order_relaxed)) {
        return false;
    }
    in_.count_pieces(-1);
    return true;
}

} // namespace lisle::protocol
