// SPDX-License-Identifier: Apache-2.0
#include "toy_fabric.hpp"

#include <cstring>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace toy {

namespace {

/// True once in so many times.
bool by_chance(unsigned times) {
    thread_local std::mt19937 random{12345};
    return random() % times == 0;
}

void signal(int event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(event, &one, sizeof one);
}

} // namespace

exchange::exchange(int ranks)
    : inboxes(static_cast<std::size_t>(ranks)), failed(static_cast<std::size_t>(ranks)) {
    for (inbox &each : inboxes) {
        each.event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    }
}

exchange::~exchange() {
    for (const inbox &each : inboxes) {
        close(each.event);
    }
}

void exchange::kill(int rank, const node_segment &segment) {
    failed[static_cast<std::size_t>(rank)].store(true);
    for (int other = 0; other < static_cast<int>(inboxes.size()); ++other) {
        segment.bell(other).ring();
        signal(inboxes[static_cast<std::size_t>(other)].event);
    }
}

claim_result toy_fabric::try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                   packet_slot &slot) noexcept {
    if (has_failed(dest)) {
        return claim_result::failed;
    }
    auto &inbox = inbox_of(dest);
    // Held from claim to publish: packets of one sender must not overtake each other in between.
    inbox.mutex.lock();
    if (inbox.congested && !solicited) {
        inbox.mutex.unlock();
        return claim_result::congested;
    }
    if (inbox.packets.size() >= capacity || by_chance(4)) {
        inbox.mutex.unlock();
        return claim_result::full;
    }
    if (payload_bytes > nature_.largest_payload) {
        std::abort(); // the engine has asked for too much
    }
    auto *const made = new packet{self, {}, {}};
    made->payload.resize(payload_bytes);
    slot = {&made->header, made->payload.data(), reinterpret_cast<std::uint64_t>(made)};
    return claim_result::claimed;
}

void toy_fabric::publish(int dest, packet_slot &slot) noexcept {
    auto &inbox = inbox_of(dest);
    inbox.packets.emplace_back(reinterpret_cast<packet *>(slot.token));
    const bool wake = std::exchange(inbox.armed, false);
    inbox.mutex.unlock();
    shared_->packets_sent.fetch_add(1);
    if (wake && nature_.wakes == waking::by::doorbell) {
        segment_.bell(dest).ring();
    } else if (wake) {
        signal(inbox.event);
    }
}

bool toy_fabric::tell_failures(int self, exchange::inbox &inbox, sink &into) {
    bool any = false;
    for (int rank = 0; rank < static_cast<int>(shared_->failed.size()); ++rank) {
        if (rank != self && has_failed(rank) && nature_.serves(rank) && inbox.told.insert(rank).second) {
            into.peer_failed(rank);
            any = true;
        }
    }
    return any;
}

bool toy_fabric::end_read(exchange::inbox &inbox) {
    pending_read read;
    {
        const std::scoped_lock guard{inbox.mutex};
        if (inbox.reads.empty()) {
            return false;
        }
        read = std::move(inbox.reads.front());
        inbox.reads.pop_front();
    }
    for (const iovec &piece : read.to) {
        std::memcpy(piece.iov_base, read.from, piece.iov_len);
        read.from += piece.iov_len;
    }
    read.end->copied(true);
    return true;
}

int toy_fabric::poll(int self, sink &into, int most) {
    auto &inbox = inbox_of(self);
    std::uint64_t events = 0;
    [[maybe_unused]] const auto drained = read(inbox.event, &events, sizeof events);
    int delivered = tell_failures(self, inbox, into) ? 1 : 0;
    if (by_chance(3)) {
        return delivered; // what has arrived is delayed
    }
    delivered += end_read(inbox) ? 1 : 0;
    for (; delivered < most; ++delivered) {
        std::unique_ptr<packet> next;
        {
            const std::scoped_lock guard{inbox.mutex};
            if (inbox.packets.empty()) {
                break;
            }
            next = std::move(inbox.packets.front());
            inbox.packets.pop_front();
        }
        if (!has_failed(next->sender)) {
            into.arrived(next->sender, next->header, next->payload);
        }
    }
    return delivered;
}

waking toy_fabric::wakes(int self) const noexcept {
    return {.how = nature_.wakes, .descriptor = inbox_of(self).event, .nanoseconds = 50'000};
}

bool toy_fabric::arm(int self) noexcept {
    auto &inbox = inbox_of(self);
    for (int rank = 0; rank < static_cast<int>(shared_->failed.size()); ++rank) {
        if (rank != self && has_failed(rank) && nature_.serves(rank) && !inbox.told.contains(rank)) {
            return false;
        }
    }
    const std::scoped_lock guard{inbox.mutex};
    inbox.armed = inbox.packets.empty() && inbox.reads.empty();
    return inbox.armed;
}

void toy_fabric::set_congested(int self, bool congested) noexcept {
    auto &inbox = inbox_of(self);
    const std::scoped_lock guard{inbox.mutex};
    inbox.congested = congested;
}

std::optional<memory_key> toy_fabric::expose(const void *memory, std::size_t bytes) noexcept {
    if (by_chance(8)) {
        return std::nullopt; // then the message is streamed
    }
    const std::scoped_lock guard{shared_->memory_mutex};
    const memory_key key = shared_->next_key++;
    shared_->exposed[key] = {static_cast<const std::byte *>(memory), bytes};
    return key;
}

void toy_fabric::withdraw(memory_key key) noexcept {
    const std::scoped_lock guard{shared_->memory_mutex};
    shared_->exposed.erase(key);
}

copy_start toy_fabric::start_read(int self, const remote_place &from, std::span<const iovec> to,
                                  copy_completion &end) noexcept {
    if (by_chance(3)) {
        return copy_start::full;
    }
    if (by_chance(16) || has_failed(from.peer)) {
        return copy_start::refused;
    }
    std::size_t bytes = 0;
    for (const iovec &piece : to) {
        bytes += piece.iov_len;
    }
    const auto *const begin = reinterpret_cast<const std::byte *>(from.address);
    {
        const std::scoped_lock guard{shared_->memory_mutex};
        const auto found = shared_->exposed.find(from.key);
        if (found == shared_->exposed.end() || begin < found->second.first ||
            begin + bytes > found->second.first + found->second.second) {
            std::abort(); // memory that nobody has exposed
        }
    }
    shared_->bytes_read.fetch_add(static_cast<long>(bytes));
    auto &inbox = inbox_of(self);
    const std::scoped_lock guard{inbox.mutex};
    inbox.reads.push_back({{to.begin(), to.end()}, begin, &end});
    return copy_start::under_way;
}

} // namespace toy
