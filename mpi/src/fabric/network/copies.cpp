// SPDX-License-Identifier: Apache-2.0
// Copies between this process's memory and that of peers over the network, and what follows when an operation
// of the provider has ended. A long copy goes in pieces, some at a time on each rail: so rails share it,
// frames get in between, and the pieces of a rail that fails go by another one.
#include <algorithm>
#include <mutex>
#include <new>

#include "fabric/network/network_fabric.hpp"

namespace lisle::fabric::network {

namespace {

memory_key make_key(const void *begin, std::uint64_t number) noexcept {
    return (reinterpret_cast<std::uint64_t>(begin) & key_address_mask) | (number << key_address_bits);
}

} // namespace

remote_memory *network_fabric::memory(int) noexcept {
    const device_traits &first = rails_.front()->endpoint().traits();
    return first.most_pieces != 0 && (first.uses_addresses || first.takes_keys) ? this : nullptr;
}

std::optional<memory_key> network_fabric::expose(const void *memory, std::size_t bytes) noexcept {
    const std::scoped_lock guard{lock_};
    const memory_key wanted = make_key(memory, next_key_++);
    exposed_memory made{wanted, {}};
    try {
        made.by_rail.resize(rails_.size());
        exposed_.reserve(exposed_.size() + 1);
    } catch (const std::bad_alloc &) {
        return std::nullopt;
    }
    for (std::size_t number = 0; number != rails_.size(); ++number) {
        if (rails_[number]->is_open()) {
            made.by_rail[number] = rails_[number]->endpoint().expose(memory, bytes, wanted);
            if (!made.by_rail[number]) {
                withdraw_locked(made);
                return std::nullopt;
            }
        }
    }
    made.key = made.by_rail.front().value_or(wanted);
    exposed_.push_back(std::move(made));
    return exposed_.back().key;
}

void network_fabric::withdraw(memory_key key) noexcept {
    const std::scoped_lock guard{lock_};
    const auto found = std::ranges::find(exposed_, key, &exposed_memory::key);
    if (found != exposed_.end()) {
        withdraw_locked(*found);
        std::swap(*found, exposed_.back());
        exposed_.pop_back();
    }
}

void network_fabric::withdraw_locked(const exposed_memory &what) noexcept {
    for (std::size_t number = 0; number != rails_.size(); ++number) {
        if (what.by_rail[number] && rails_[number]->is_open()) {
            rails_[number]->endpoint().withdraw(*what.by_rail[number]);
        }
    }
}

copy_start network_fabric::start_copy(int self, const remote_place &place, std::span<const iovec> runs,
                                      bool read, copy_completion &end) noexcept {
    const int process = job_.process_of(place.peer);
    const std::scoped_lock guard{lock_};
    const peer_process &peer = peers_[static_cast<std::size_t>(process)];
    if (peer.failed || peer.at.empty() || runs.size() > rails_[peer.rail]->endpoint().traits().most_pieces) {
        return copy_start::refused;
    }
    try {
        auto started = std::make_unique<long_copy>(self, process, place, runs, read, end);
        const bool goes = started->go_on(rails_, peer.at);
        if (!goes && started->is_over()) {
            return copy_start::refused; // the first piece was
        }
        copies_.push_back(std::move(started));
        traffic_.add_sent();
    } catch (const std::bad_alloc &) {
        return copy_start::full;
    }
    return copy_start::under_way;
}

copy_start network_fabric::start_read(int self, const remote_place &from, std::span<const iovec> to,
                                      copy_completion &end) noexcept {
    return start_copy(self, from, to, true, end);
}

copy_start network_fabric::start_write(int self, const remote_place &to, std::span<const iovec> from,
                                       copy_completion &end) noexcept {
    return start_copy(self, to, from, false, end);
}

void network_fabric::advance_copies_locked() {
    for (const auto &each : copies_) {
        const peer_process &peer = peers_[static_cast<std::size_t>(each->process)];
        if (peer.failed) {
            each->failed = true;
        } else {
            each->go_on(rails_, peer.at);
        }
    }
    std::erase_if(copies_, [this](const auto &each) {
        if (!each->is_over()) {
            return false;
        }
        inbox_of(each->starter).copies.push_back({&each->end, !each->failed});
        wake_if_armed(each->starter);
        return true;
    });
}

void network_fabric::end_pieces_on_locked(std::size_t number) {
    for (const auto &each : copies_) {
        each->rail_closed(number);
    }
}

void network_fabric::ended_locked(const completion &end) {
    switch (end.of->what) {
    case operation::kind::receive: {
        auto &in = static_cast<buffer &>(*end.of);
        if (end.failed) {
            receive_again_locked(in); // a peer ended in the middle of a frame; its failure shows elsewhere
        } else {
            arrived_locked(in, end.bytes);
        }
        return;
    }
    case operation::kind::send:
        ended_send_locked(static_cast<buffer &>(*end.of), end.failed);
        return;
    case operation::kind::copy: {
        auto &ended = static_cast<copied_piece &>(*end.of);
        const int process = ended.whole.process;
        const std::size_t by = ended.rail;
        ended.whole.piece_ended(ended, !end.failed);
        if (end.failed) {
            lost_rail_locked(process, by);
        }
        return;
    }
    }
}

} // namespace lisle::fabric::network
