// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/memory_copies.hpp"

#include <algorithm>
#include <mutex>
#include <new>

namespace lisle::fabric::network {

namespace {

memory_key make_key(const void *begin, std::uint64_t number) noexcept {
    return (reinterpret_cast<std::uint64_t>(begin) & key_address_mask) | (number << key_address_bits);
}

} // namespace

bool memory_copies::are_possible() const noexcept {
    const device_traits &first = by_.rails.traits_of_first();
    return first.most_pieces != 0 && (first.uses_addresses || first.takes_keys);
}

std::optional<memory_key> memory_copies::expose(const void *memory, std::size_t bytes) noexcept {
    const std::scoped_lock guard{by_.lock};
    const memory_key wanted = make_key(memory, next_key_++);
    exposed_memory made{wanted, {}};
    try {
        made.by_rail.resize(by_.rails.size());
        exposed_.reserve(exposed_.size() + 1);
    } catch (const std::bad_alloc &) {
        return std::nullopt;
    }
    for (std::size_t number = 0; number != by_.rails.size(); ++number) {
        if (by_.rails[number].is_open()) {
            made.by_rail[number] = by_.rails[number].endpoint().expose(memory, bytes, wanted);
            if (!made.by_rail[number]) {
                withdraw_from_rails(made);
                return std::nullopt;
            }
        }
    }
    made.key = made.by_rail.front().value_or(wanted);
    exposed_.push_back(std::move(made));
    return exposed_.back().key;
}

void memory_copies::withdraw(memory_key key) noexcept {
    const std::scoped_lock guard{by_.lock};
    const auto found = std::ranges::find(exposed_, key, &exposed_memory::key);
    if (found != exposed_.end()) {
        withdraw_from_rails(*found);
        std::swap(*found, exposed_.back());
        exposed_.pop_back();
    }
}

void memory_copies::withdraw_from_rails(const exposed_memory &what) noexcept {
    for (std::size_t number = 0; number != by_.rails.size(); ++number) {
        if (what.by_rail[number] && by_.rails[number].is_open()) {
            by_.rails[number].endpoint().withdraw(*what.by_rail[number]);
        }
    }
}

copy_start memory_copies::start(int self, const remote_place &place, std::span<const iovec> runs, bool read,
                                copy_completion &end) noexcept {
    const int process = job_.process_of(place.peer);
    const std::scoped_lock guard{by_.lock};
    const peer_process &peer = by_.peers[process];
    if (peer.failed || !peer.is_joined() ||
        runs.size() > by_.rails[peer.rail()].endpoint().traits().most_pieces) {
        return copy_start::refused;
    }
    try {
        auto started = std::make_unique<long_copy>(self, process, place, runs, read, end);
        // All that its end needs, before it begins.
        under_way_.reserve(under_way_.size() + 1);
        ring<inbox::ended_copy> &ends = by_.boxes.of(self).copies;
        ends.reserve(ends.size() + under_way_.size() + 1);
        const bool goes = started->go_on(by_.rails, peer.rails());
        if (!goes && started->is_over()) {
            return copy_start::refused; // the first piece was
        }
        under_way_.push_back(std::move(started));
        by_.traffic.add_sent();
    } catch (const std::bad_alloc &) {
        return copy_start::full;
    }
    return copy_start::under_way;
}

void memory_copies::advance() {
    for (const auto &each : under_way_) {
        const peer_process &peer = by_.peers[each->process];
        if (peer.failed) {
            each->failed = true;
        } else {
            each->go_on(by_.rails, peer.rails());
        }
    }
    std::erase_if(under_way_, [this](const auto &each) {
        if (!each->is_over()) {
            return false;
        }
        by_.boxes.add(each->starter, inbox::ended_copy{&each->end, !each->failed});
        return true;
    });
}

memory_copies::ended_piece memory_copies::ended(copied_piece &piece, bool moved) {
    const ended_piece over{piece.whole.process, piece.rail};
    piece.whole.piece_ended(piece, moved);
    return over;
}

void memory_copies::rail_closed(std::size_t number) {
    for (const auto &each : under_way_) {
        each->rail_closed(number);
    }
}

} // namespace lisle::fabric::network
