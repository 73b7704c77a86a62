// SPDX-License-Identifier: Apache-2.0
// How messages leave: at once if they are short and there is room, otherwise announced first.
#include <memory>

#include "mpi.h"
#include "protocol/short_path.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

using fabric::claim_result;

namespace {

/// Whether announce_and_watch() may be used: for data in one piece to another rank of the process, from a
/// thread that may keep its core for a while.
bool may_watch(engine &mine, const fabric::route &way, const send_operation &send) noexcept {
    const engine_identity &self = mine.core().self;
    return self.shares_addresses(way) && send.dest != self.number && send.buffer.type->contiguous() &&
           send.buffer.address != nullptr && !send.in_pieces && mine.core().observer == nullptr &&
           mine.waits().brief_looks() != 0 && !mine.failures().any();
}

/// Announces a message of a blocking call, whose thread then looks for the end alone: the receiver finds the
/// data's place in the announcement, and says that it has them by one store. True if it has; if not, wait for
/// it.
bool announce_and_watch(engine &mine, send_operation &send) {
    mine.sends().announce_watched(send);
    if (mine.look_for(send)) {
        return true;
    }
    if (send.stop_watching()) {
        return false;
    }
    wait_while([&send] { return !send.complete.load(std::memory_order_acquire); });
    return true;
}

/// Makes progress for a receiver of this process, if it is one: it may be computing.
void help(const engine_identity &self, int dest) {
    rank *const receiver =
        dest != self.number && self.shares_addresses(self.routes.to(dest)) ? self.job.find(dest) : nullptr;
    if (engine *const theirs = receiver != nullptr ? receiver->tracks().find(self.track) : nullptr) {
        theirs->mover().move();
    }
}

} // namespace

send_operation::send_operation(engine &home, const typed_buffer &buffer, const envelope &what, int dest,
                               send_mode mode) noexcept
    : operation{home}, buffer{buffer}, context{what.context}, source{what.source}, dest{dest}, tag{what.tag},
      mode{mode} {}

send_operation::send_operation(const typed_buffer &buffer, const channel &channel, int dest, int tag,
                               send_mode mode)
    : send_operation{
          *channel.home, buffer,
          envelope{dest == MPI_PROC_NULL ? channel.context : channel.context_at(dest), channel.self, tag},
          dest == MPI_PROC_NULL ? dest : channel.peers->member(dest), mode} {}

void engine::start(send_operation &send) {
    if (send.dest == MPI_PROC_NULL) {
        send.result.error = failures_.error_without_peer(send.context);
        complete(send);
        return;
    }
    const auto bytes = static_cast<std::size_t>(send.buffer.bytes());
    if (send.mode != send_mode::synchronous &&
        out_.goes_unasked(routes().to(send.dest), send.buffer, bytes) &&
        out_.try_send_eager(send.buffer, {send.context, send.source, send.tag}, send.dest, bytes) ==
            claim_result::claimed) {
        complete(send);
        return;
    }
    announce_and_help(send);
}

void engine::announce(send_operation &send) {
    if (!sends_.announce(send)) [[unlikely]] {
        mover_.move(); // who tries again and again must hear of a revocation
    }
}

void engine::announce_and_help(send_operation &send) {
    const int dest = send.dest; // the receiver may end the send, and its owner free it
    announce(send);
    help(core_.self, dest);
}

void send_operation::start() {
    complete.store(false, std::memory_order_relaxed);
    active = true;
    recalled = false;
    result = {};
    streamed = stream_end = 0;
    home->start(*this);
    home->deliver(*this);
}

void send_operation::describe(wait_note &note) const {
    const bool synchronous = mode == send_mode::synchronous;
    note.add({context, buffer.bytes(), dest, tag,
              synchronous ? wait_note::sort::synchronous_send : wait_note::sort::send});
}

void send_operation::hear() const {
    if (mode == send_mode::synchronous) {
        hear_receive(context, dest);
    }
}

void send_operation::cancel() {
    if (dest != MPI_PROC_NULL) {
        home->sends().cancel(*this);
    }
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
    const fabric::route &way = mine.routes().to(number);
    if (mode != send_mode::synchronous && mine.out().goes_unasked(way, buffer, bytes)) {
        claim_result result = mine.out().try_send_eager(buffer, what, number, bytes);
        for (unsigned tries = 0; result == claim_result::full;
             result = mine.out().try_send_eager(buffer, what, number, bytes)) {
            mine.waits().found_no_room(tries);
        }
        if (result == claim_result::claimed) [[likely]] {
            return;
        }
        if (result == claim_result::failed) {
            mine.progress();
            throw_failure(mine.failures().error_of(what.context, number), number);
        }
    }
    alignas(64) send_operation operation{mine, buffer, what, number, mode};
    bool ended = false; // a receiver that is there is faster without help
    if (may_watch(mine, way, operation)) {
        ended = announce_and_watch(mine, operation);
    } else {
        mine.announce(operation);
        ended = mine.look_for(operation) || mine.sends().deliver(operation, 0);
    }
    if (!ended) {
        help(mine.core().self, number);
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
    if (mode != send_mode::synchronous && mine.out().goes_unasked(mine.routes().to(number), buffer, bytes) &&
        mine.out().try_send_eager(buffer, what, number, bytes) == claim_result::claimed) {
        return mine.completed_send();
    }
    auto operation = std::make_unique<send_operation>(mine, buffer, what, number, mode);
    operation->keep(*buffer.type);
    mine.announce_and_help(*operation);
    mine.deliver(*operation);
    return operation.release();
}

} // namespace lisle::protocol
