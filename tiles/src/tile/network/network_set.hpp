// SPDX-License-Identifier: Apache-2.0
// Several networks between the same cores, as tiled processors have them: one for what must not wait behind
// long data, for example. Each has routers and links of its own, and a buffer for each core to write to. A
// packet goes by the network that carries its class, or packets go by all networks in turn.
//
// Cores see one port, in which the packets of one sender come in the order in which they were written, by
// whichever network: what comes too early waits in the port (packets.hpp). So a packet does not overtake
// those of its own pair, but waits for no others on another network.
#pragma once

#include "tile/network/network.hpp"
#include "tile/network/packets.hpp"

namespace lisle::tile {

class network_set final : public network {
  public:
    /// Throws std::invalid_argument if the parameters do not fit each other.
    explicit network_set(const parameters &machine);

    [[nodiscard]] bool has_room(int tile) const noexcept override { return next_of(tile).has_room(tile); }
    void carry_as(int tile, packet_class next) override;
    void write(int tile, word written, cycle now) override;
    word read(int tile) override;
    [[nodiscard]] bool active() const noexcept override;
    void step(cycle now) override;

    [[nodiscard]] std::string described() const override;
    [[nodiscard]] port_traffic port(int tile) const noexcept override;
    [[nodiscard]] std::vector<link_traffic> links() const override;
    [[nodiscard]] int words_under_way() const noexcept override;
    [[nodiscard]] int stopped_by(int tile) const noexcept override { return next_of(tile).stopped_by(tile); }
    void measure_latencies() override;
    [[nodiscard]] class latencies latencies() const override;
    [[nodiscard]] std::int64_t packets_measured() const noexcept override;

  private:
    /// What a core writes.
    struct writing {
        int left = 0; ///< words of the packet that it has begun
        int carried_by = 0;
        int turn = 0; ///< the network of this packet, or of the next
    };

    [[nodiscard]] class network &next_of(int tile) const noexcept {
        return *parts_[static_cast<std::size_t>(writing_[static_cast<std::size_t>(tile)].turn)];
    }

    std::array<int, packet_classes> carried_by_;
    std::shared_ptr<core_ports> ports_;
    std::vector<std::unique_ptr<class network>> parts_;
    std::vector<writing> writing_; ///< by core
};

} // namespace lisle::tile
