// SPDX-License-Identifier: Apache-2.0
// A fabric as simple as one can be, unlike the local one in all that may differ: packets are allocated
// one by one, small, refused at random, and peer memory cannot be read. It proves that the engine uses
// nothing but the interface.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/local/node_segment.hpp"

namespace toy {

using namespace lisle::fabric;

struct packet {
    packet_header header{};
    std::vector<std::byte> payload;
};

/// What all processes of a job share: an inbox for each rank.
struct exchange {
    explicit exchange(int ranks) : inboxes(static_cast<std::size_t>(ranks)) {}
    struct inbox {
        std::mutex mutex;
        std::deque<std::unique_ptr<packet>> packets;
        bool armed = false;
        bool congested = false;
    };
    std::vector<inbox> inboxes;
};

class toy_fabric final : public fabric {
  public:
    toy_fabric(std::shared_ptr<exchange> shared, lisle::fabric::local::node_segment &segment, std::size_t largest_payload)
        : shared_{std::move(shared)}, segment_{segment}, limits_{largest_payload, 0, SIZE_MAX, 0} {}

    [[nodiscard]] const char *name() const noexcept override { return "toy"; }
    [[nodiscard]] const fabric_limits &limits() const noexcept override { return limits_; }
    [[nodiscard]] bool reaches(int) const noexcept override { return true; }
    [[nodiscard]] claim_result try_claim(int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    [[nodiscard]] bool arm(int self) noexcept override;
    void set_congested(int self, bool congested) noexcept override;
    [[nodiscard]] bool read(int, std::uint64_t, std::span<const iovec>) noexcept override { return false; }

  private:
    static constexpr std::size_t capacity = 8;
    exchange::inbox &inbox_of(int rank) { return shared_->inboxes[static_cast<std::size_t>(rank)]; }

    std::shared_ptr<exchange> shared_;
    lisle::fabric::local::node_segment &segment_;
    fabric_limits limits_;
};

} // namespace toy
