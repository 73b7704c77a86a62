// SPDX-License-Identifier: Apache-2.0
// Carries packets between ranks as flows: a message costs its sender send_cycles, then takes its bytes' time
// on the links and the latency of its way, and costs its receiver receive_cycles: the parameters of LogGP. A
// rank's messages leave one after the other, gap_cycles or more apart. Hosts may have several ranks, which
// share the host's link, and reach each other through its memory.
//
// What counts are the bytes of the program and of the protocol's own notes; the protocol's header is part of
// the costs of a message.
#pragma once

#include <deque>
#include <memory>
#include <queue>
#include <unordered_map>

#include "tile/fabric/carrier.hpp"
#include "tile/network/flow_network.hpp"

namespace lisle::fabric {

class flow_carrier final : public carrier {
  public:
    /// @param hosts by rank; several may have the same @param header bytes of a packet that do not count
    flow_carrier(const tile::parameters &machine, std::vector<int> hosts, std::size_t header,
                 std::function<void(int rank)> notify);

    [[nodiscard]] packet *claim(int rank, std::size_t bytes) override;
    [[nodiscard]] bool may_claim(int) const noexcept override { return true; }
    void send(int rank, packet *filled) override;
    void work(int rank, tile::cycle cycles, tile::phase as = tile::phase::compute) override;
    [[nodiscard]] bool caught_up(int rank) const noexcept override { return at(rank).tasks.empty(); }
    [[nodiscard]] packet *arrived(int rank) override;
    void release(int rank) override;
    [[nodiscard]] bool advance(tile::cycle until) override;
    [[nodiscard]] tile::cycle now() const noexcept override { return now_; }
    [[nodiscard]] tile::cycle send_cycles() const noexcept override { return 0; } // send() takes them
    [[nodiscard]] tile::cycle receive_cycles(const packet &) const noexcept override {
        return machine_.receive_cycles;
    }

    void measure() override {}
    [[nodiscard]] tile::network_report report() const override;
    [[nodiscard]] std::string picture() const override { return {}; }
    [[nodiscard]] std::string summary() const override;
    [[nodiscard]] std::string standstill() const override { return {}; }

  private:
    struct task {
        packet *sent = nullptr; ///< null: work
        tile::cycle cycles = 0;
        tile::phase as = tile::phase::compute;
    };
    struct station {
        std::deque<task> tasks;       ///< the first one is being carried out
        std::deque<packet *> to_wire; ///< packets that wait for those before them
        bool on_wire = false;         ///< the first of them is a flow, or waits for the gap's end
        tile::cycle may_start = 0;    ///< the next flow
        std::deque<packet *> inbox;
        std::vector<std::unique_ptr<packet>> buffers;
        std::vector<packet *> free;
        std::array<tile::cycle, tile::phases> spent{};
    };
    enum class kind : std::uint8_t { task_ends, flow_may_start, arrival };
    struct event {
        tile::cycle at;
        std::int64_t order;
        kind what;
        int rank;
        packet *arriving;
        bool operator>(const event &other) const noexcept {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    [[nodiscard]] station &at(int rank) noexcept { return stations_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const station &at(int rank) const noexcept {
        return stations_[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] int host(int rank) const noexcept { return tiles_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] std::int64_t counted(const packet &of) const noexcept {
        return static_cast<std::int64_t>(of.bytes - header_);
    }
    void add_task(int rank, const task &added);
    void begin_task(int rank);
    void end_task(int rank);
    void put_on_wire(int rank);
    void start_flow(int rank);
    void flow_ended(int rank, packet *sent);
    void take_place(const event &what);
    void schedule(tile::cycle when, kind what, int rank, packet *arriving = nullptr);

    tile::parameters machine_;
    std::size_t header_;
    tile::flow_network flows_;
    std::vector<station> stations_;             ///< by rank
    std::unordered_map<int, packet *> flowing_; ///< by flow
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    tile::cycle now_ = 0;
    std::int64_t scheduled_ = 0;
    std::int64_t messages_ = 0, bytes_ = 0;
};

} // namespace lisle::fabric
