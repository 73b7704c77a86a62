// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/peer/peer_process.hpp"

#include <algorithm>

#include "base/copy_bytes.hpp"

namespace lisle::fabric::network {

namespace {

/// Frames that the device has of one process at a time: urgent ones overtake only what it does not have yet.
constexpr std::size_t most_started = 8;

bool leads_there(peer_number at) noexcept {
    return at != no_peer;
}

} // namespace

void take_in(buffer &filled) noexcept {
    const std::span<const std::byte> end = std::exchange(filled.outside, {});
    copy_bytes(filled.room.data() + filled.bytes - end.size(), end.data(), end.size());
}

void peer_process::join(std::vector<peer_number> at, bool in_order) {
    waiting.reserve(send_buffers::count);
    unacknowledged_.reserve(at.size() > 1 ? send_buffers::count : 0);
    at_ = std::move(at);
    rail_ = static_cast<std::size_t>(std::ranges::find_if(at_, leads_there) - at_.begin());
    numbers_ = keeps() || !in_order;
}

bool peer_process::has_more_rails_than_one() const noexcept {
    return std::ranges::count_if(at_, leads_there) > 1;
}

peer_process::after_loss peer_process::lose(std::size_t rail) {
    at_[rail] = no_peer;
    if (rail_ != rail) {
        return after_loss::unchanged;
    }
    const auto next = std::ranges::find_if(at_, leads_there);
    if (next == at_.end()) {
        return after_loss::cut_off;
    }
    rail_ = static_cast<std::size_t>(next - at_.begin());
    waiting.send_again(unacknowledged_);
    return after_loss::moved;
}

attempt peer_process::start(buffer &filled, rail_set &rails) noexcept {
    frame &what = frame_in(filled);
    device &by = rails[rail_].endpoint();
    const bool injects = filled.bytes <= by.traits().inject_bytes && what.what != frame::kind::last;
    if (!injects && started_ == most_started) {
        return attempt::full;
    }
    const bool takes_number = numbers_ && what.what != frame::kind::received && !filled.numbered;
    if (takes_number) {
        what.number = next_out_;
    }
    if (injects || (takes_number && keeps())) {
        take_in(filled);
    }
    const std::span<std::byte> bytes = filled.room.first(filled.bytes - filled.outside.size());
    const attempt result =
        injects ? by.inject(bytes, at_[rail_]) : by.send(bytes, filled.outside, at_[rail_], filled);
    if (result != attempt::done && result != attempt::ended) {
        return result;
    }
    reached = true;
    if (takes_number) {
        next_out_ = number_after(next_out_);
    }
    if (takes_number && keeps()) {
        filled.numbered = filled.kept = true;
        unacknowledged_.push_back(&filled);
    }
    if (injects || result == attempt::ended) {
        return attempt::ended;
    }
    filled.outside = {};
    filled.at_provider = true;
    filled.rail = rail_;
    ++started_;
    return attempt::done;
}

bool peer_process::acknowledge(std::uint32_t number, send_buffers &to) noexcept {
    if (number == 0) {
        return true; // no frame of ours is kept for it
    }
    if (next_out_ - number > reorder_buffer<inbox::packet>::window) {
        return false;
    }
    // Numbers begin anew after the greatest: what counts is the distance.
    while (!unacknowledged_.empty()) {
        buffer &first = *unacknowledged_.front();
        if (static_cast<std::int32_t>(frame_in(first).number - number) >= 0) {
            break;
        }
        unacknowledged_.pop_front();
        waiting.forget(first);
        first.kept = false;
        if (!first.at_provider) {
            release(first, to);
        }
    }
    return true;
}

void peer_process::forget_frames(send_buffers &to) noexcept {
    while (!waiting.empty()) {
        buffer &lost = waiting.next();
        waiting.remove_next();
        release(lost, to);
    }
    for (; !unacknowledged_.empty(); unacknowledged_.pop_front()) {
        buffer &each = *unacknowledged_.front();
        each.kept = false;
        if (!each.at_provider) {
            release(each, to);
        }
    }
}

} // namespace lisle::fabric::network
