// SPDX-License-Identifier: Apache-2.0
// The least that a fabric can be: a queue for each rank, behind a mutex, for ranks that are threads or fibers
// of one process. What mpi/docs/how-to/add-a-fabric.md builds; toy_fabric.hpp has the rest that a fabric may
// have.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/local/node_segment.hpp"

namespace plain {

using namespace lisle::fabric;

struct packet {
    int sender;
    packet_header header;
    std::vector<std::byte> payload;
};

/// What has been sent to one rank.
struct queue {
    std::mutex mutex;
    std::deque<std::unique_ptr<packet>> packets;
    bool congested = false;
    bool armed = false; ///< the rank sleeps, or is about to
};
using queues = std::vector<queue>;

class plain_fabric final : public fabric {
  public:
    plain_fabric(std::shared_ptr<queues> all, lisle::fabric::local::node_segment &segment)
        : all_{std::move(all)}, segment_{segment} {}

    [[nodiscard]] const char *name() const noexcept override { return "plain"; }
    [[nodiscard]] bool reaches(int) const noexcept override { return true; }
    [[nodiscard]] route_limits limits(int) const noexcept override { return {.largest_payload = 4096}; }

    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override {
        queue &to = of(dest);
        to.mutex.lock(); // until the packet is published, so packets of one sender stay in order
        if ((to.congested && !solicited) || to.packets.size() >= capacity) {
            const bool congested = to.congested && !solicited;
            to.mutex.unlock();
            return congested ? claim_result::congested : claim_result::full;
        }
        auto *const made = new packet{self, {}, std::vector<std::byte>(payload_bytes)};
        slot = {&made->header, made->payload.data(), reinterpret_cast<std::uint64_t>(made)};
        return claim_result::claimed;
    }
    void publish(int dest, packet_slot &slot) noexcept override {
        queue &to = of(dest);
        to.packets.emplace_back(reinterpret_cast<packet *>(slot.token));
        const bool wake = std::exchange(to.armed, false);
        to.mutex.unlock();
        if (wake) {
            segment_.bell(dest).ring();
        }
    }
    int poll(int self, sink &into, int most) override {
        int delivered = 0;
        for (; delivered < most; ++delivered) {
            std::unique_ptr<packet> next = take(of(self));
            if (next == nullptr) {
                break;
            }
            into.arrived(next->sender, next->header, next->payload); // may send: without the lock
        }
        return delivered;
    }
    void set_congested(int self, bool congested) noexcept override {
        const std::scoped_lock guard{of(self).mutex};
        of(self).congested = congested;
    }
    [[nodiscard]] bool arm(int self) noexcept override {
        const std::scoped_lock guard{of(self).mutex};
        of(self).armed = of(self).packets.empty();
        return of(self).armed;
    }

  private:
    static constexpr std::size_t capacity = 64;
    [[nodiscard]] queue &of(int rank) const noexcept { return (*all_)[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] static std::unique_ptr<packet> take(queue &from) {
        const std::scoped_lock guard{from.mutex};
        if (from.packets.empty()) {
            return nullptr;
        }
        std::unique_ptr<packet> first = std::move(from.packets.front());
        from.packets.pop_front();
        return first;
    }

    std::shared_ptr<queues> all_;
    lisle::fabric::local::node_segment &segment_;
};

} // namespace plain
