// SPDX-License-Identifier: Apache-2.0
// A fabric as simple as one can be, unlike the local one in all that may differ: packets are allocated
// one by one, small, delayed and refused at random; it serves some peers only; peers' memory can be read with
// a key, later, or not at all; sleepers are woken in any of the three ways; peers can be killed. It proves
// that the engine uses nothing but the interface.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/local/node_segment.hpp"
#include "fabric/remote_memory.hpp"

namespace toy {

using namespace lisle::fabric;
using lisle::fabric::local::node_segment;

struct packet {
    int sender;
    packet_header header{};
    std::vector<std::byte> payload;
};

struct pending_read {
    std::vector<iovec> to;
    const std::byte *from;
    copy_completion *end;
};

/// What all processes of a job share: an inbox for each rank, memory that can be read, and who has failed.
struct exchange {
    explicit exchange(int ranks);
    ~exchange();
    /// From now on nothing reaches this rank, and all others are told.
    void kill(int rank, const node_segment &segment);

    struct inbox {
        std::mutex mutex;
        std::deque<std::unique_ptr<packet>> packets;
        std::deque<pending_read> reads;
        std::set<int> told; ///< of these failures
        int event = -1;     ///< eventfd, readable after an arrival that found the inbox armed
        bool armed = false;
        bool congested = false;
    };
    std::vector<inbox> inboxes;
    std::vector<std::atomic<bool>> failed;
    std::mutex memory_mutex;
    std::map<memory_key, std::pair<const std::byte *, std::size_t>> exposed;
    memory_key next_key = 77;
    std::atomic<long> packets_sent{0};
    std::atomic<long> bytes_read{0};
};

struct character {
    std::size_t largest_payload = 500;
    std::size_t eager = SIZE_MAX;
    bool reads = false; ///< with remote memory
    waking::by wakes = waking::by::doorbell;
    std::function<bool(int)> serves = [](int) { return true; }; ///< which peers
};

class toy_fabric final : public fabric, public remote_memory {
  public:
    toy_fabric(std::shared_ptr<exchange> shared, node_segment &segment, character nature)
        : shared_{std::move(shared)}, segment_{segment}, nature_{std::move(nature)} {}

    [[nodiscard]] const char *name() const noexcept override { return "toy"; }
    [[nodiscard]] bool reaches(int peer) const noexcept override { return nature_.serves(peer); }
    [[nodiscard]] route_limits limits(int) const noexcept override {
        return {.largest_payload = nature_.largest_payload,
                .eager = nature_.eager,
                .least_read = nature_.reads ? 3000 : SIZE_MAX,
                .surely_read = 0};
    }
    [[nodiscard]] remote_memory *memory(int) noexcept override { return nature_.reads ? this : nullptr; }
    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    void set_congested(int self, bool congested) noexcept override;
    [[nodiscard]] waking wakes(int self) const noexcept override;
    [[nodiscard]] bool arm(int self) noexcept override;

    [[nodiscard]] std::optional<memory_key> expose(const void *memory, std::size_t bytes) noexcept override;
    void withdraw(memory_key key) noexcept override;
    [[nodiscard]] copy_start start_read(int self, const remote_place &from, std::span<const iovec> to,
                                        copy_completion &end) noexcept override;
    [[nodiscard]] copy_start start_write(int, const remote_place &, std::span<const iovec>,
                                         copy_completion &) noexcept override {
        return copy_start::refused;
    }

  private:
    static constexpr std::size_t capacity = 8;
    exchange::inbox &inbox_of(int rank) const { return shared_->inboxes[static_cast<std::size_t>(rank)]; }
    bool has_failed(int rank) const { return shared_->failed[static_cast<std::size_t>(rank)].load(); }
    bool tell_failures(int self, exchange::inbox &inbox, sink &into);
    static bool end_read(exchange::inbox &inbox);

    std::shared_ptr<exchange> shared_;
    node_segment &segment_;
    character nature_;
};

} // namespace toy
