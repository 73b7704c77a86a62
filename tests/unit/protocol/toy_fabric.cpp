// SPDX-License-Identifier: Apache-2.0
#include "toy_fabric.hpp"

#include <utility>

namespace toy {

claim_result toy_fabric::try_claim(int dest, std::size_t payload_bytes, bool solicited,
                                   packet_slot &slot) noexcept {
    thread_local std::mt19937 random{12345};
    auto &inbox = inbox_of(dest);
    // Held from claim to publish: packets of one sender must not overtake each other in between.
    inbox.mutex.lock();
    if (inbox.congested && !solicited) {
        inbox.mutex.unlock();
        return claim_result::congested;
    }
    if (inbox.packets.size() >= capacity || random() % 4 == 0) {
        inbox.mutex.unlock();
        return claim_result::full;
    }
    auto *const made = new packet;
    made->payload.resize(payload_bytes);
    slot = {&made->header, made->payload.data(), reinterpret_cast<std::uint64_t>(made)};
    return claim_result::claimed;
}

void toy_fabric::publish(int dest, packet_slot &slot) noexcept {
    auto &inbox = inbox_of(dest);
    inbox.packets.emplace_back(reinterpret_cast<packet *>(slot.token));
    const bool wake = std::exchange(inbox.armed, false);
    inbox.mutex.unlock();
    if (wake) {
        segment_.bell(dest).ring();
    }
}

int toy_fabric::poll(int self, sink &into, int most) {
    auto &inbox = inbox_of(self);
    int delivered = 0;
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
        into.arrived(next->header, next->payload);
    }
    return delivered;
}

bool toy_fabric::arm(int self) noexcept {
    auto &inbox = inbox_of(self);
    const std::scoped_lock guard{inbox.mutex};
    inbox.armed = inbox.packets.empty();
    return inbox.armed;
}

void toy_fabric::set_congested(int self, bool congested) noexcept {
    auto &inbox = inbox_of(self);
    const std::scoped_lock guard{inbox.mutex};
    inbox.congested = congested;
}

} // namespace toy
