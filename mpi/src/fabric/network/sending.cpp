// SPDX-License-Identifier: Apache-2.0
// How frames leave: at once, or, where a Sender thread has been promised them or the provider has no room,
// from the outbox of their process. See network_fabric.hpp.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <sched.h>

#include "fabric/network/network_fabric.hpp"

namespace lisle::fabric::network {

namespace {

/// What one process may hold of the send buffers, so that one that does not take its frames leaves some to
/// the others.
constexpr std::size_t most_outstanding = network_fabric::most_sends / 3;
/// What data that nobody asked for leaves to answers: a receiver can always reply.
constexpr std::size_t kept_for_answers = 16;
/// Frames that the provider has of one process at a time: urgent ones overtake only what it does not have
/// yet.
constexpr std::size_t most_started = 8;
/// Shorter data are copied behind their frame before it is sent: that takes no longer than to name them.
constexpr std::size_t least_outside = 1024;

frame make_frame(const job_view &job, frame::kind what, int source, int dest) noexcept {
    frame made{};
    made.secret = job.secret;
    made.version = frame::current_version;
    made.what = what;
    made.source = source;
    made.dest = dest;
    return made;
}

} // namespace

claim_result network_fabric::try_claim(int self, int dest, std::size_t, bool solicited,
                                       packet_slot &slot) noexcept {
    const int process = job_.process_of(dest);
    const reach known = reach_[static_cast<std::size_t>(process)].load(std::memory_order_relaxed);
    if (known == reach::failed) {
        return claim_result::failed;
    }
    if (!solicited && congested_[static_cast<std::size_t>(dest)].load(std::memory_order_relaxed)) {
        return claim_result::congested;
    }
    if (known == reach::unknown) {
        const staying here; // the caller holds locks, and the launcher may have to be asked
        try {
            connect(dest, where_(dest)); // the first packet
        } catch (...) {
            return claim_result::full; // no memory for it now
        }
    }
    const std::scoped_lock guard{lock_};
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    if (to.failed) {
        return claim_result::failed;
    }
    const std::size_t kept = solicited ? 0 : kept_for_answers;
    if (to.at.empty() || sends_.available() <= kept ||
        to.outstanding + kept >= most_outstanding + kept_for_answers) {
        room_wanted_ = true;
        return claim_result::full;
    }
    buffer &taken = sends_.take();
    ++to.outstanding;
    taken.process = process;
    taken.numbered = taken.kept = false;
    taken.outside = {};
    frame_in(taken) = make_frame(job_, frame::kind::packet, self, dest);
    slot.header = &frame_in(taken).header;
    slot.payload = taken.room.data() + sizeof(frame);
    slot.token = sends_.index_of(taken);
    return claim_result::claimed;
}

// The caller publishes the packet next: if the device sends it at once it need not be copied.
void network_fabric::fill(int, packet_slot &slot, const void *from, std::size_t bytes) noexcept {
    if (bytes < least_outside) {
        copy_bytes(slot.payload, from, bytes);
    } else {
        sends_.at(static_cast<std::size_t>(slot.token)).outside = {static_cast<const std::byte *>(from),
                                                                   bytes};
    }
}

void network_fabric::publish(int dest, packet_slot &slot) noexcept {
    packets_to_[static_cast<std::size_t>(dest)].fetch_add(1, std::memory_order_relaxed);
    const std::scoped_lock guard{lock_};
    traffic_.add_sent();
    buffer &filled = sends_.at(static_cast<std::size_t>(slot.token));
    filled.bytes = sizeof(frame) + frame_in(filled).header.payload_bytes;
    filled.urgent = slot.may_overtake;
    peer_process &to = peers_[static_cast<std::size_t>(filled.process)];
    send_locked(filled);
    if (!to.reached && !call_sender_) [[unlikely]] {
        await_connection_locked(to);
    }
}

// Who has sent something may compute for long before it calls again, and the receiver would wait for the
// connection all that time.
void network_fabric::await_connection_locked(peer_process &to) noexcept {
    if (std::exchange(to.awaited, true)) {
        return;
    }
    const auto end = std::chrono::steady_clock::now() + job_.connecting;
    while (!to.reached && !to.failed && std::chrono::steady_clock::now() < end) {
        try {
            progress_rails_locked();
        } catch (...) {
            return; // no memory for what has come: the next poll tries again
        }
        send_waiting_locked();
        sched_yield();
    }
}

void network_fabric::take_in(buffer &filled) noexcept {
    const std::span<const std::byte> end = std::exchange(filled.outside, {});
    copy_bytes(filled.room.data() + filled.bytes - end.size(), end.data(), end.size());
}

void network_fabric::send_locked(buffer &filled) noexcept {
    peer_process &to = peers_[static_cast<std::size_t>(filled.process)];
    if (to.failed) {
        finish_send_locked(filled);
        return;
    }
    // Behind those that wait, so that the packets stay in order.
    const bool at_once = !call_sender_ && (filled.urgent ? !to.waiting.any_urgent() : to.waiting.empty());
    switch (at_once ? start_locked(filled) : attempt::full) {
    case attempt::done:
    case attempt::ended:
        return;
    case attempt::full:
        take_in(filled);
        if (to.waiting.empty()) {
            clogged_.push_back(filled.process);
        }
        to.waiting.add(filled);
        if (call_sender_) {
            call_sender_();
        }
        return;
    case attempt::refused:
        refused_locked(filled);
        return;
    }
}

void network_fabric::refused_locked(buffer &lost) noexcept {
    const int process = lost.process;
    if (!lost.kept) {
        finish_send_locked(lost);
    }
    failed_locked(process);
}

attempt network_fabric::start_locked(buffer &filled) noexcept {
    peer_process &to = peers_[static_cast<std::size_t>(filled.process)];
    frame &what = frame_in(filled);
    rail &by = *rails_[to.rail];
    const bool injects =
        filled.bytes <= by.endpoint().traits().inject_bytes && what.what != frame::kind::last;
    if (!injects && to.started == most_started) {
        return attempt::full;
    }
    const bool numbers = to.numbers && what.what != frame::kind::received && !filled.numbered;
    if (numbers) {
        what.number = to.next_out;
    }
    if (injects || (numbers && to.keeps())) {
        take_in(filled);
    }
    const std::span<std::byte> bytes = filled.room.first(filled.bytes - filled.outside.size());
    const attempt result = injects ? by.endpoint().inject(bytes, to.at[to.rail])
                                   : by.endpoint().send(bytes, filled.outside, to.at[to.rail], filled);
    if (result != attempt::done && result != attempt::ended) {
        return result;
    }
    to.reached = true;
    if (numbers) {
        to.next_out = number_after(to.next_out);
    }
    if (numbers && to.keeps()) {
        filled.numbered = filled.kept = true;
        to.unacknowledged.push_back(&filled);
    }
    if (injects || result == attempt::ended) {
        if (!filled.kept) {
            finish_send_locked(filled);
        }
    } else {
        filled.outside = {};
        filled.at_provider = true;
        filled.rail = to.rail;
        ++to.started;
    }
    return attempt::done;
}

void network_fabric::finish_send_locked(buffer &sent) noexcept {
    --peers_[static_cast<std::size_t>(sent.process)].outstanding;
    sends_.give_back(sent);
    if (std::exchange(room_wanted_, false) && call_sender_) {
        call_sender_();
    }
}

void network_fabric::ended_send_locked(buffer &sent, bool failed) noexcept {
    const int process = sent.process;
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    --to.started;
    sent.at_provider = false;
    const std::size_t by = sent.rail;
    if (!sent.kept) {
        finish_send_locked(sent);
    }
    if (failed) {
        lost_rail_locked(process, by);
    } else if (call_sender_ && !to.waiting.empty()) {
        call_sender_();
    }
}

attempt network_fabric::send_next_locked(int process) noexcept {
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    buffer &first = to.waiting.next();
    const attempt result = start_locked(first);
    if (result != attempt::full) {
        to.waiting.remove_next();
    }
    if (result == attempt::refused) {
        refused_locked(first);
    }
    return result;
}

void network_fabric::forget_if_sent_locked(std::size_t place) noexcept {
    if (peers_[static_cast<std::size_t>(clogged_[place])].waiting.empty()) {
        clogged_[place] = clogged_.back();
        clogged_.pop_back();
    }
}

void network_fabric::send_waiting_locked() noexcept {
    for (std::size_t place = clogged_.size(); place-- != 0;) {
        const int process = clogged_[place];
        while (!peers_[static_cast<std::size_t>(process)].waiting.empty() &&
               send_next_locked(process) != attempt::full) {
        }
        forget_if_sent_locked(place);
    }
}

// ---- by a Sender thread ----

void network_fabric::leave_sending_to(const std::function<void()> &call) {
    const std::scoped_lock guard{lock_};
    call_sender_ = call;
}

send_step network_fabric::send_some() noexcept {
    const std::scoped_lock guard{lock_};
    // One frame under the lock, which others want as well; the next one is another process's.
    for (std::size_t tries = clogged_.size(); tries != 0; --tries) {
        const std::size_t place = ++turn_ % clogged_.size();
        const int process = clogged_[place];
        const bool empty = peers_[static_cast<std::size_t>(process)].waiting.empty(); // it has failed
        if (empty || send_next_locked(process) != attempt::full) {
            forget_if_sent_locked(place);
            return send_step::sent;
        }
    }
    return clogged_.empty() ? send_step::nothing : send_step::no_room;
}

bool network_fabric::send_frame_locked(int process, frame::kind what, int source) noexcept {
    peer_process &to = peers_[static_cast<std::size_t>(process)];
    if (to.at.empty()) {
        connect_locked(process, where_(job_.first_rank_of(process)));
    }
    if (to.at.empty() || sends_.available() == 0) {
        return false;
    }
    buffer &taken = sends_.take();
    ++to.outstanding;
    taken.process = process;
    taken.bytes = sizeof(frame);
    taken.urgent = what != frame::kind::last;
    taken.numbered = taken.kept = false;
    taken.outside = {};
    frame_in(taken) = make_frame(job_, what, source, job_.first_rank_of(process));
    if (what == frame::kind::received) {
        frame_in(taken).number = to.keeps() ? to.arriving.due() : 0;
    }
    send_locked(taken);
    return true;
}

} // namespace lisle::fabric::network
