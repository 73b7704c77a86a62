// SPDX-License-Identifier: Apache-2.0
#include "protocol/rendezvous/announced_sends.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/thread_sanitizer.hpp"
#include "datatype/predefined.hpp"
#include "execution/fiber_worker.hpp"
#include "fabric/remote_memory.hpp"
#include "fabric/shared_memory.hpp"
#include "mpi.h"
#include "protocol/message/process_seal.hpp"
#include "protocol/message/read_payload.hpp"
#include "protocol/message/refuse.hpp"

namespace lisle::protocol {

namespace {

// Scattered messages within a process go as streams, like those between processes, if they are no longer: to
// the receiver each of the sender's cache lines is far away, and so one packs while the other unpacks.
constexpr std::size_t most_streamed = std::size_t{192} << 10;

/// Without an observer: what a strict message consists of.
std::uint16_t annotation_of(const send_operation &send) noexcept {
    const type_mark mark = send.buffer.type->mark();
    return mark.strict() ? annotation{static_cast<std::uint8_t>(mark.basic())}.packed() : std::uint16_t{0};
}

} // namespace

// ---- announcing ----

std::uint8_t announced_sends::locate(send_operation &send, const fabric::route &way, announcement &said) {
    if (core_.self.shares_addresses(way)) {
        // Fibers of one thread have the same caches.
        const bool streams = send.buffer.type->scattered() && said.bytes <= most_streamed &&
                             send.dest != core_.self.number && fiber_worker::current() == nullptr;
        if (send.in_pieces || streams) {
            return 0;
        }
        said.address = reinterpret_cast<std::uint64_t>(&send);
        said.key = process_seal();
        return within_process;
    }
    if (send.buffer.type->contiguous() && (way.node != nullptr || expose_buffer(send, way))) {
        said.address = reinterpret_cast<std::uint64_t>(send.buffer.address);
        said.key = send.exposed ? send.key : 0;
        return send.exposed ? exposed_memory : 0;
    }
    return 0;
}

bool announced_sends::announce(send_operation &send) {
    const auto bytes = static_cast<std::size_t>(send.buffer.bytes());
    core_.counts.add_own(counted::announced_messages);
    core_.counts.add_own(counted::announced_bytes, bytes);
    announcement said{.bytes = bytes, .address = 0, .sender = 0, .key = 0};
    const fabric::route &way = core_.self.routes.to(send.dest);
    const std::uint8_t flags = locate(send, way, said);
    deferred_packet packet{.header = {send.context, send.source, send.tag,
                                      static_cast<std::uint8_t>(packet_kind::announcement), flags,
                                      annotation_of(send), sizeof said},
                           .payload = {},
                           .takes_data = false};
    if (core_.observer != nullptr) [[unlikely]] {
        send.call = core_.observer->begin_send({send.context, send.source, send.tag}, send.dest);
    }
    // The receiver of a short message need not ask for it. In one address space it only has to copy.
    packet.takes_data = (send.mode == send_mode::synchronous || (flags & within_process) == 0) &&
                        !send.in_pieces && out_.goes_unasked(way, send.buffer, bytes + sizeof said);
    const std::scoped_lock guard{core_};
    if (const int error = failed_.error_of(send.context, send.dest); error != MPI_SUCCESS) [[unlikely]] {
        core_.fail_locked(send, error);
        return false;
    }
    if (!send.exposed) {
        send.table = this;
    }
    send.id = out_.announced().insert(send);
    send.receiver_id = 0;
    said.sender = send.id;
    std::memcpy(packet.payload, &said, sizeof said);
    try {
        out_.announce_locked(send.dest, packet);
    } catch (...) {
        remove_locked(send);
        throw;
    }
    core_.expect_locked(send, send.dest);
    return true;
}

void announced_sends::announce_watched(send_operation &send) {
    const auto bytes = static_cast<std::uint64_t>(send.buffer.bytes());
    core_.counts.add_own(counted::announced_messages);
    core_.counts.add_own(counted::announced_bytes, bytes);
    const announcement said{.bytes = bytes,
                            .address = reinterpret_cast<std::uint64_t>(&send),
                            .sender = reinterpret_cast<std::uint64_t>(send.buffer.address),
                            .key = process_seal()};
    const fabric::packet_header header{send.context,
                                       send.source,
                                       send.tag,
                                       static_cast<std::uint8_t>(packet_kind::announcement),
                                       within_process | in_one_piece,
                                       annotation_of(send),
                                       sizeof said};
    send.table = this;
    send.begin_watching();
    if (!out_.try_post(send.dest, header, &said)) {
        const std::scoped_lock guard{core_};
        out_.send_control_locked(send.dest, header, &said, sizeof said);
    }
}

bool announced_sends::expose_buffer(send_operation &send, const fabric::route &way) {
    const auto bytes = static_cast<std::size_t>(send.buffer.bytes());
    if (way.memory == nullptr || bytes < way.limits.least_read || send.in_pieces) {
        return false;
    }
    const auto key = way.memory->expose(send.buffer.address, bytes);
    send.exposed = key.has_value();
    send.key = key.value_or(0);
    return send.exposed;
}

void announced_sends::withdraw_buffer(send_operation &send) noexcept {
    if (std::exchange(send.exposed, false)) [[unlikely]] {
        core_.self.routes.to(send.dest).memory->withdraw(send.key);
    }
}

// ---- the end ----

void announced_sends::remove_locked(send_operation &send) noexcept {
    out_.announced().erase(send.id);
    withdraw_buffer(send);
}

void announced_sends::finish(send_operation &send, const message_observer *receiver) {
    if (receiver != nullptr && core_.observer != nullptr) [[unlikely]] {
        core_.observer->follow(*receiver);
    }
    const std::scoped_lock guard{core_};
    if (send.id != 0) {
        out_.announced().erase(send.id);
    }
    core_.complete_locked(send);
}

void announced_sends::cancel(send_operation &send) {
    const std::scoped_lock guard{core_};
    if (!send.complete.load(std::memory_order_relaxed)) {
        recall_locked(send);
    }
}

void announced_sends::recall_locked(const send_operation &send) {
    out_.send_control_locked(send.dest,
                             {send.id, 0, 0, static_cast<std::uint8_t>(packet_kind::cancel), 0, 0, 0});
}

// Memory that a living peer may be reading stays readable until the peer says that it has not begun, or has
// done: a read that is refused would look like the failure of the memory's owner.
bool announced_sends::is_recalled_locked(send_operation &send) {
    if (!send.exposed || failed_.has_failed(send.dest)) {
        return false;
    }
    if (!send.recalled) {
        recall_locked(send);
        send.recalled = true;
    }
    return true;
}

void announced_sends::end_failed_locked() {
    outbox &waiting = out_.waiting();
    const auto is_over = [this](const send_operation *send) {
        return failed_.error_of(send->context, send->dest) != MPI_SUCCESS;
    };
    waiting.serve_streams([&](int, auto &queue) { std::erase_if(queue, is_over); });
    waiting.serve_packets([this](int peer, auto &queue) {
        if (failed_.has_failed(peer)) {
            queue.clear();
        }
    });
    waiting.note_failure();
    out_.announced().each([this](std::uint64_t, send_operation &send) {
        const int error = failed_.error_of(send.context, send.dest);
        if (error != MPI_SUCCESS && !send.delivering && !is_recalled_locked(send)) {
            remove_locked(send);
            core_.fail_locked(send, error);
        }
    });
}

// ---- what receivers answer ----

send_operation *announced_sends::named(const arrival &packet, std::uint64_t id, const char *otherwise) {
    send_operation *const send = out_.announced().find(id);
    if (send == nullptr && failed_.any()) {
        return nullptr;
    }
    if (send == nullptr || send->dest != packet.peer) {
        refuse(packet.peer, otherwise, id);
    }
    return send;
}

void announced_sends::on_clear_to_send(const arrival &packet) {
    const auto clear = read_payload<clear_to_send>(packet);
    send_operation *const send = named(packet, clear.sender, "asks for data that nobody announced");
    if (send == nullptr) {
        return;
    }
    if (clear.bytes > static_cast<std::uint64_t>(send->buffer.bytes()) || send->receiver_id != 0) {
        refuse(packet.peer, "asks for more than was announced", clear.bytes);
    }
    if (!send->in_pieces) { // else the thread that makes them sends them
        out_.waiting().add(*send);
        core_.call_senders();
    }
    send->receiver_id = clear.receiver;
    send->stream_end = static_cast<MPI_Count>(clear.bytes);
}

void announced_sends::on_done(const arrival &packet) {
    send_operation *const send =
        named(packet, packet.what.context, "reports the end of a message that was not sent to it");
    if (send == nullptr) {
        return;
    }
    note_acquire_by_peer([&]() -> fabric::cooperative_copy * {
        fabric::shared_memory *const node = core_.self.routes.to(send->dest).node;
        return node != nullptr ? node->cooperative_copy_of(send->dest) : nullptr;
    });
    end_locked(*send);
}

void announced_sends::on_cancel_answer(const arrival &packet) {
    if (packet.what.tag == 0) {
        return; // it was received, so it completes like any other
    }
    // A withdrawn operation is still there: nobody else can complete it any more.
    send_operation *const send =
        named(packet, packet.what.context, "withdraws a message that was not sent to it");
    if (send == nullptr) {
        return;
    }
    remove_locked(*send);
    if (send->recalled) [[unlikely]] {
        core_.fail_locked(*send, MPIX_ERR_REVOKED);
        return;
    }
    send->result.cancelled = true;
    core_.complete_locked(*send);
}

// ---- streams ----

std::optional<std::size_t> announced_sends::try_stream(send_operation &send, const typed_buffer &from,
                                                       MPI_Count offset, std::size_t most) {
    const std::size_t bytes = std::min(most, core_.self.routes.to(send.dest).limits.largest_payload);
    if (out_.put(send.dest, {send.receiver_id, 0, 0, static_cast<std::uint8_t>(packet_kind::data), 0, 0, 0},
                 {.data = from, .offset = offset, .data_bytes = bytes},
                 true) != fabric::claim_result::claimed) {
        return std::nullopt;
    }
    send.streamed += static_cast<MPI_Count>(bytes);
    return bytes;
}

bool announced_sends::push_streams_locked(const fabric::packet_carrier *only) {
    // Packets that one round of progress may add to a stream: others want the lock, too.
    constexpr int batch = 4;
    bool any = false;
    out_.waiting().serve_streams([&](int dest, auto &queue) {
        if (only != nullptr && core_.self.routes.to(dest).carrier != only) {
            return;
        }
        // Each stream in turn, until the first packet that finds no room: then the others find none either.
        bool room = true;
        for (std::size_t rest = queue.size(); rest != 0 && room; --rest) {
            send_operation &send = *queue.front();
            for (int packets = 0; packets < batch && room && send.streamed < send.stream_end; ++packets) {
                const auto left = static_cast<std::size_t>(send.stream_end - send.streamed);
                room = try_stream(send, send.buffer, send.streamed, left).has_value();
                any |= room;
            }
            if (send.streamed == send.stream_end) {
                queue.pop_front();
                end_locked(send);
            } else if (room) {
                queue.push_back(&send);
                queue.pop_front();
            }
        }
    });
    return any;
}

bool announced_sends::may_stream(const send_operation &send) {
    const std::scoped_lock guard{core_.bare_lock()};
    return send.receiver_id != 0 || send.complete.load(std::memory_order_relaxed);
}

std::size_t announced_sends::try_send_piece(send_operation &send, std::span<const std::byte> bytes) {
    const auto left = static_cast<std::size_t>(send.stream_end - send.streamed);
    const typed_buffer from{bytes.data(), static_cast<MPI_Count>(bytes.size()), byte_type()};
    const auto sent = try_stream(send, from, 0, std::min(left, bytes.size()));
    if (sent && send.streamed == send.stream_end) {
        const std::scoped_lock guard{core_};
        end_locked(send);
    }
    return sent.value_or(0);
}

} // namespace lisle::protocol
