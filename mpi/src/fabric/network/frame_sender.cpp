// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/frame_sender.hpp"

#include <algorithm>
#include <new>

namespace lisle::fabric::network {

namespace {

/// What one process may hold of the send buffers, so that one that does not take its frames leaves some to
/// the others.
constexpr std::size_t most_outstanding = send_buffers::count / 3;
/// What data that nobody asked for leaves to answers: a receiver can always reply.
constexpr std::size_t kept_for_answers = 16;
/// Shorter data are copied behind their frame before it is sent: that takes no longer than to name them.
constexpr std::size_t least_outside = 1024;

} // namespace

frame frame_sender::make_frame(frame::kind what, int source, int dest) const noexcept {
    frame made{};
    made.mark = job_.mark;
    made.version = frame::current_version;
    made.what = what;
    made.source = source;
    made.dest = dest;
    return made;
}

claim_result frame_sender::claim(int process, int self, int dest, bool solicited,
                                 packet_slot &slot) noexcept {
    peer_process &to = peers_[process];
    if (to.failed) {
        return claim_result::failed;
    }
    const std::size_t kept = solicited ? 0 : kept_for_answers;
    if (!to.is_joined() || buffers_.available() <= kept ||
        to.outstanding() + kept >= most_outstanding + kept_for_answers) {
        buffers_.await_room();
        return claim_result::full;
    }
    buffer &taken = buffers_.take();
    to.add_outstanding();
    taken.process = process;
    taken.numbered = taken.kept = false;
    taken.outside = {};
    frame_in(taken) = make_frame(frame::kind::packet, self, dest);
    slot.header = &frame_in(taken).header;
    slot.payload = taken.room.data() + sizeof(frame);
    slot.token = buffers_.index_of(taken);
    return claim_result::claimed;
}

// The caller publishes the packet next: if the device sends it at once it need not be copied.
void frame_sender::fill(packet_slot &slot, const void *from, std::size_t bytes) noexcept {
    if (bytes < least_outside) {
        copy_bytes(slot.payload, from, bytes);
    } else {
        buffers_.at(static_cast<std::size_t>(slot.token)).outside = {static_cast<const std::byte *>(from),
                                                                     bytes};
    }
}

int frame_sender::publish(packet_slot &slot) noexcept {
    buffer &filled = buffers_.at(static_cast<std::size_t>(slot.token));
    filled.bytes = sizeof(frame) + frame_in(filled).header.payload_bytes;
    filled.urgent = slot.may_overtake;
    filled.may_be_held = slot.may_be_held && !buffers_.has_sender();
    const int process = filled.process;
    send(filled);
    return process;
}

bool frame_sender::send_control(int process, frame::kind what, int source) noexcept {
    const int first_rank = job_.first_rank_of(process);
    peer_process &to = peers_[process];
    if (!to.is_joined()) {
        try {
            peers_.connect(process, peers_.find(first_rank));
        } catch (const std::bad_alloc &) {
            return false;
        }
    }
    if (!to.is_joined() || buffers_.available() == 0) {
        return false;
    }
    buffer &taken = buffers_.take();
    to.add_outstanding();
    taken.process = process;
    taken.bytes = sizeof(frame);
    taken.urgent = what != frame::kind::last;
    taken.may_be_held = false;
    taken.numbered = taken.kept = false;
    taken.outside = {};
    frame_in(taken) = make_frame(what, source, first_rank);
    if (what == frame::kind::received) {
        frame_in(taken).number = to.keeps() ? to.arriving.due() : 0;
    }
    send(taken);
    return true;
}

void frame_sender::send(buffer &filled) noexcept {
    peer_process &to = peers_[filled.process];
    if (to.failed) {
        to.release(filled, buffers_);
        return;
    }
    // Behind those that wait, so that the packets stay in order.
    const bool at_once =
        !buffers_.has_sender() && (filled.urgent ? !to.waiting.any_urgent() : to.waiting.empty());
    switch (at_once ? start(filled) : attempt::full) {
    case attempt::done:
    case attempt::ended:
        return;
    case attempt::full:
        wait(filled);
        return;
    case attempt::refused:
        refused(filled);
        return;
    }
}

attempt frame_sender::start(buffer &filled) noexcept {
    peer_process &to = peers_[filled.process];
    const attempt result = to.start(filled, rails_);
    if (result == attempt::ended) {
        to.release(filled, buffers_);
    }
    return result;
}

void frame_sender::wait(buffer &filled) {
    peer_process &to = peers_[filled.process];
    take_in(filled);
    filled.may_be_held = false;
    if (to.waiting.empty()) {
        clogged_.push_back(filled.process);
    }
    to.waiting.add(filled);
    buffers_.call_sender();
}

void frame_sender::refused(buffer &lost) noexcept {
    const int process = lost.process;
    peers_[process].release(lost, buffers_);
    peers_.fail(process);
}

// ---- frames that wait ----

attempt frame_sender::send_next(int process) noexcept {
    peer_process &to = peers_[process];
    buffer &first = to.waiting.next();
    const attempt result = start(first);
    if (result != attempt::full) {
        to.waiting.remove_next();
    }
    if (result == attempt::refused) {
        refused(first);
    }
    return result;
}

void frame_sender::forget_if_sent(std::size_t place) noexcept {
    if (peers_[clogged_[place]].waiting.empty()) {
        clogged_[place] = clogged_.back();
        clogged_.pop_back();
    }
}

bool frame_sender::must_try() const noexcept {
    return std::ranges::any_of(clogged_, [this](int process) { return peers_[process].started() == 0; });
}

void frame_sender::send_waiting() noexcept {
    for (std::size_t place = clogged_.size(); place-- != 0;) {
        const int process = clogged_[place];
        while (!peers_[process].waiting.empty() && send_next(process) != attempt::full) {
        }
        forget_if_sent(place);
    }
}

send_step frame_sender::send_some() noexcept {
    // One frame under the lock, which others want as well; the next one is another process's.
    for (std::size_t tries = clogged_.size(); tries != 0; --tries) {
        const std::size_t place = ++turn_ % clogged_.size();
        const int process = clogged_[place];
        const bool empty = peers_[process].waiting.empty(); // it has failed
        if (empty || send_next(process) != attempt::full) {
            forget_if_sent(place);
            return send_step::sent;
        }
    }
    return clogged_.empty() ? send_step::nothing : send_step::no_room;
}

// ---- what becomes of them ----

void frame_sender::ended(buffer &sent) noexcept {
    peer_process &to = peers_[sent.process];
    to.stop(sent);
    to.release(sent, buffers_);
    if (!to.waiting.empty()) {
        buffers_.call_sender();
    }
}

void frame_sender::rail_closed(std::size_t number) noexcept {
    for (std::size_t index = 0; index != send_buffers::count; ++index) {
        buffer &each = buffers_.at(index);
        if (each.at_provider && each.rail == number) {
            peer_process &to = peers_[each.process];
            to.stop(each);
            to.release(each, buffers_);
        }
    }
}

void frame_sender::send_again(int process) {
    if (!peers_[process].waiting.empty() && std::ranges::find(clogged_, process) == clogged_.end()) {
        clogged_.push_back(process);
    }
    buffers_.call_sender();
}

} // namespace lisle::fabric::network
