// SPDX-License-Identifier: Apache-2.0
// How messages leave: at once if they are short and there is room, otherwise announced first.
#include <algorithm>
#include <memory>
#include <mutex>

#include "base/error.hpp"
#include "datatype/copy.hpp"
#include "fabric/local/shared_heap.hpp"
#include "fabric/remote_memory.hpp"
#include "fabric/shared_memory.hpp"
#include "mpi.h"
#include "protocol/eager/short_message.hpp"
#include "protocol/handlers.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

using fabric::claim_result;

namespace {

// Scattered messages within a process go as streams, like those between processes, if they are no longer: to
// the receiver each of the sender's cache lines is far away, and so one packs while the other unpacks.
constexpr std::size_t most_streamed = std::size_t{192} << 10;

} // namespace

bool engine::is_copied_once(int dest, const typed_buffer &buffer) const noexcept {
    const fabric::route &way = routes_.to(dest);
    if (routes_.share_addresses(number_, dest)) {
        return !buffer.type->scattered();
    }
    const shared_heap *const heap = way.node != nullptr ? way.node->heap() : nullptr;
    return heap != nullptr && buffer.type->contiguous() &&
           heap->holds(buffer.address, static_cast<std::size_t>(buffer.bytes()));
}

claim_result engine::try_send_eager(const typed_buffer &buffer, const envelope &what, int dest,
                                    std::size_t bytes) {
    if (const std::size_t hindrances = outbox_.hindrances(); hindrances != 0) [[unlikely]] {
        if (failures_.any() && failures_.error_of(what.context, dest) != MPI_SUCCESS) {
            return claim_result::failed;
        }
        if (outbox::packets_among(hindrances) != 0) {
            // An earlier message of ours may still wait for room: keep the order. Others' wait means nothing.
            const std::scoped_lock guard{lock_};
            if (outbox_.has_packets_for(dest)) {
                return claim_result::full;
            }
        }
        if (outbox::describing(hindrances) && handlers::describes(*this, *buffer.type, dest)) {
            return handlers::try_send_described(*this, buffer, what, dest, bytes);
        }
    }
    fabric::packet_slot slot{};
    auto &fabric = *routes_.to(dest).carrier;
    const claim_result result = fabric.try_claim(number_, dest, bytes, false, slot);
    if (result == claim_result::claimed) [[likely]] {
        if (buffer.type->contiguous()) [[likely]] {
            fabric.fill(dest, slot, buffer.address, bytes);
        } else {
            pack(buffer, 0, {slot.payload, bytes});
        }
        // Last, for the receiver looks at this line all the while, and takes it away from who writes it.
        *slot.header = {what.context,
                        what.source,
                        what.tag,
                        static_cast<std::uint8_t>(packet_kind::eager),
                        static_cast<std::uint8_t>(buffer.type->basic()),
                        own_remark(),
                        static_cast<std::uint32_t>(bytes)};
        fabric.publish(dest, slot);
    }
    return result;
}

send_operation::send_operation(const typed_buffer &buffer, const channel &channel, int dest, int tag,
                               send_mode mode)
    : operation{*channel.home}, buffer{buffer},
      context{dest == MPI_PROC_NULL ? channel.context : channel.context_at(dest)}, source{channel.self},
      dest{dest == MPI_PROC_NULL ? dest : channel.peers->member(dest)}, tag{tag}, mode{mode} {
    result.source = MPI_ANY_SOURCE;
}

void engine::start(send_operation &send) {
    if (send.dest == MPI_PROC_NULL) {
        send.result.error = failures_.error_without_peer(send.context);
        complete(send);
        return;
    }
    const auto bytes = static_cast<std::size_t>(send.buffer.bytes());
    if (send.mode != send_mode::synchronous && goes_unasked(send.dest, send.buffer, bytes) &&
        try_send_eager(send.buffer, {send.context, send.source, send.tag}, send.dest, bytes) ==
            claim_result::claimed) {
        complete(send);
        return;
    }
    announce(send);
    help(send.dest);
}

bool engine::announce_and_watch(send_operation &send) {
    if (checks_types_) [[unlikely]] { // the message is described
        announce(send);
        return look_for(send);
    }
    const auto bytes = static_cast<std::uint64_t>(send.buffer.bytes());
    counts_.add(counted::announced_messages);
    counts_.add(counted::announced_bytes, bytes);
    const announcement said{.bytes = bytes,
                            .address = reinterpret_cast<std::uint64_t>(&send),
                            .sender = reinterpret_cast<std::uint64_t>(send.buffer.address),
                            .key = seal_};
    const fabric::packet_header header{send.context,
                                       send.source,
                                       send.tag,
                                       static_cast<std::uint8_t>(packet_kind::announcement),
                                       within_process | in_one_piece,
                                       0,
                                       sizeof said};
    send.begin_watching();
    fabric::mailbox_sender *const mailbox = mailboxes_[send.dest];
    if (mailbox == nullptr || outbox_.hindrances() != 0 ||
        mailbox->try_post(signature_, header, &said, true) != claim_result::claimed) {
        const std::scoped_lock guard{lock_};
        send_control_locked(send.dest, header, &said, sizeof said);
    }
    if (look_for(send)) {
        return true;
    }
    if (send.stop_watching()) {
        return false;
    }
    wait_while([&send] { return !send.complete.load(std::memory_order_acquire); });
    return true;
}

void engine::announce(send_operation &send) {
    const fabric::route &way = routes_.to(send.dest);
    const auto bytes = static_cast<std::size_t>(send.buffer.bytes());
    counts_.add(counted::announced_messages);
    counts_.add(counted::announced_bytes, bytes);
    announcement said{.bytes = bytes, .address = 0, .sender = 0, .key = 0};
    std::uint8_t flags = 0;
    if (routes_.share_addresses(number_, send.dest)) {
        // Fibers of one thread have the same caches.
        const bool streams = send.buffer.type->scattered() && bytes <= most_streamed &&
                             send.dest != number_ && fiber_worker::current() == nullptr;
        if (!send.in_pieces && !streams) {
            said.address = reinterpret_cast<std::uint64_t>(&send);
            said.key = seal_;
            flags = within_process;
        }
    } else if (send.buffer.type->contiguous() && (way.node != nullptr || expose_buffer(send, way))) {
        said.address = reinterpret_cast<std::uint64_t>(send.buffer.address);
        said.key = send.key;
        flags = send.exposed ? exposed_memory : 0;
    }
    deferred_packet packet{.header = {send.context, send.source, send.tag,
                                      static_cast<std::uint8_t>(packet_kind::announcement), flags, 0,
                                      sizeof said},
                           .payload = {},
                           .takes_data = false};
    if (checks_types_) [[unlikely]] {
        send.place = notes_->number_call();
    }
    // The receiver of a short message need not ask for it. In one address space it only has to copy.
    packet.takes_data = (send.mode == send_mode::synchronous || (flags & within_process) == 0) &&
                        !send.in_pieces && goes_unasked(send.dest, send.buffer, bytes + sizeof said);
    int error = MPI_SUCCESS;
    {
        const std::scoped_lock guard{lock_};
        error = failures_.error_locked(send.context, send.dest);
        if (error == MPI_SUCCESS) [[likely]] {
            send.id = sends_.insert(send);
            send.receiver_id = 0;
            said.sender = send.id;
            std::memcpy(packet.payload, &said, sizeof said);
            try {
                send_or_defer_locked(send.dest, packet);
            } catch (...) {
                sends_.erase(send.id);
                withdraw_buffer(send);
                throw;
            }
            expect_locked(send, send.dest);
            return;
        }
    }
    lock_.lock();
    fail_at_once_locked(send, error);
}

void engine::fail_at_once_locked(request &failed, int error) {
    failures_.fail_locked(failed, error);
    unlock_and_follow_up();
    move_messages();
}

bool engine::expose_buffer(send_operation &send, const fabric::route &way) {
    const auto bytes = static_cast<std::size_t>(send.buffer.bytes());
    if (way.memory == nullptr || bytes < way.limits.least_read || send.in_pieces) {
        return false;
    }
    const auto key = way.memory->expose(send.buffer.address, bytes);
    send.exposed = key.has_value();
    send.key = key.value_or(0);
    return send.exposed;
}

void engine::withdraw_buffer(send_operation &send) noexcept {
    if (std::exchange(send.exposed, false)) [[unlikely]] {
        routes_.to(send.dest).memory->withdraw(send.key);
    }
}

void engine::help(int dest) {
    rank *const receiver =
        dest != number_ && routes_.share_addresses(number_, dest) ? job_.find(dest) : nullptr;
    if (engine *const theirs = receiver != nullptr ? receiver->tracks().find(track_) : nullptr) {
        theirs->move_messages();
    }
}

void engine::cancel(send_operation &send) {
    if (send.dest == MPI_PROC_NULL) {
        return;
    }
    const std::scoped_lock guard{lock_};
    if (send.complete.load(std::memory_order_relaxed)) {
        return;
    }
    recall_locked(send);
}

void engine::recall_locked(const send_operation &send) {
    send_control_locked(send.dest, {send.id, 0, 0, static_cast<std::uint8_t>(packet_kind::cancel), 0, 0, 0},
                        nullptr, 0);
}

void send_operation::start() {
    complete.store(false, std::memory_order_relaxed);
    active = true;
    recalled = false;
    result = {};
    streamed = stream_end = 0;
    home->start(*this);
}

void send_operation::describe(wait_note &note) const {
    const bool synchronous = mode == send_mode::synchronous;
    note.add({context, buffer.bytes(), dest, tag,
              synchronous ? wait_note::sort::synchronous_send : wait_note::sort::send});
}

void send_operation::cancel() {
    home->cancel(*this);
}

void send_in_general(const typed_buffer &buffer, const channel &channel, int dest, int tag, send_mode mode) {
    engine &mine = *channel.home;
    if (dest == MPI_PROC_NULL) {
        mine.failures().refuse_revoked(channel.context);
        return;
    }
    const int number = channel.peers->member(dest);
    const auto bytes = static_cast<std::size_t>(buffer.bytes());
    const envelope what{channel.context_at(dest), channel.self, tag};
    if (mode != send_mode::synchronous && mine.goes_unasked(number, buffer, bytes)) {
        claim_result result = mine.try_send_eager(buffer, what, number, bytes);
        for (unsigned tries = 0; result == claim_result::full;
             result = mine.try_send_eager(buffer, what, number, bytes)) {
            mine.found_no_room(tries);
        }
        if (result == claim_result::claimed) [[likely]] {
            return;
        }
        if (result == claim_result::failed) {
            mine.progress();
            throw_failure(mine.failures().error_of(what.context, number), number);
        }
    }
    alignas(64) send_operation operation{buffer, channel, dest, tag, mode};
    bool ended = false; // a receiver that is there is faster without help
    if (mine.may_watch(operation)) {
        ended = mine.announce_and_watch(operation);
    } else {
        mine.announce(operation);
        ended = mine.look_for(operation);
    }
    if (!ended) {
        mine.help(number);
        wait(operation);
    }
    if (operation.result.error != MPI_SUCCESS) [[unlikely]] {
        throw_failure(operation.result.error, number);
    }
}

void send(const typed_buffer &buffer, const channel &channel, int dest, int tag, send_mode mode) {
    if (mode == send_mode::synchronous) {
        send_in_general(buffer, channel, dest, tag, mode);
    } else {
        send_quickly(buffer, channel, dest, tag);
    }
}

request *start_send(const typed_buffer &buffer, const channel &channel, int dest, int tag, send_mode mode) {
    return mode == send_mode::synchronous ? start_send_in_general(buffer, channel, dest, tag, mode)
                                          : start_send_quickly(buffer, channel, dest, tag);
}

request *start_send_in_general(const typed_buffer &buffer, const channel &channel, int dest, int tag,
                               send_mode mode) {
    engine &mine = *channel.home;
    if (dest == MPI_PROC_NULL) {
        mine.failures().refuse_revoked(channel.context);
        return mine.completed_send();
    }
    const int number = channel.peers->member(dest);
    const auto bytes = static_cast<std::size_t>(buffer.bytes());
    const envelope what{channel.context_at(dest), channel.self, tag};
    if (mode != send_mode::synchronous && mine.goes_unasked(number, buffer, bytes) &&
        mine.try_send_eager(buffer, what, number, bytes) == claim_result::claimed) {
        return mine.completed_send();
    }
    auto operation = std::make_unique<send_operation>(buffer, channel, dest, tag, mode);
    operation->keep(*buffer.type);
    mine.announce(*operation);
    mine.help(number);
    return operation.release();
}

} // namespace lisle::protocol
