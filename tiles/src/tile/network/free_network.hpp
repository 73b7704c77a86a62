// SPDX-License-Identifier: Apache-2.0
// A network without contention: each word takes the cycles that it would take alone, on the fixed way of its
// pair, and no buffer is ever full. What a program takes longer on another network is what its packets wait
// for each other.
#pragma once

#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "tile/network/network.hpp"
#include "tile/network/packets.hpp"
#include "tile/network/routing.hpp"

namespace lisle::tile {

class free_network final : public network {
  public:
    /// Throws std::invalid_argument if the parameters do not fit each other.
    explicit free_network(const parameters &machine)
        : free_network{machine, std::make_shared<core_ports>(machine.tiles()), 0, is_thesis_mesh(machine)} {}
    /// @param ports that it has in common with other networks @param which of them it is
    /// @param short_last_hop the last hop leads past the last router, as on the mesh of the thesis
    free_network(const parameters &machine, std::shared_ptr<core_ports> ports, int which,
                 bool short_last_hop = false);

    [[nodiscard]] bool has_room(int) const noexcept override { return true; }
    void write(int tile, word written, cycle now) override;
    word read(int tile) override;
    [[nodiscard]] bool active() const noexcept override { return !coming_.empty(); }
    void step(cycle now) override;

    [[nodiscard]] std::string described() const override { return "no contention"; }
    [[nodiscard]] port_traffic port(int tile) const noexcept override;
    [[nodiscard]] std::vector<link_traffic> links() const override;
    [[nodiscard]] int words_under_way() const noexcept override;
    [[nodiscard]] int stopped_by(int) const noexcept override { return -1; }

  private:
    struct path {
        path_length length;
        int routers = 1; ///< that the header takes time at
        std::vector<int> channels;
        cycle period = 1; ///< of the slowest link, or of the port
        int width = 1;
    };
    struct writing {
        int packet = -1;
        int left = 0;
        cycle first = 0; ///< when the header comes
        cycle next = 0;  ///< when the last word that has been written comes
        const path *by = nullptr;
    };
    /// A word that will have come. The number is that of all words, so those of a packet come in order.
    struct coming {
        cycle at;
        std::int64_t number;
        int packet;
        int place; ///< 0: the header
        bool operator>(const coming &other) const noexcept {
            return at != other.at ? at > other.at : number > other.number;
        }
    };

    [[nodiscard]] const path &path_of(int from, int to);
    void take(const coming &word, cycle now);

    parameters machine_;
    wiring joined_;
    std::unique_ptr<routing> routing_;
    bool short_last_hop_;
    std::shared_ptr<core_ports> shared_;
    std::uint8_t which_; ///< of the networks that have these ports
    packet_store &packets_;
    std::vector<receiving_port> &ports_; ///< by core
    std::vector<writing> writing_;       ///< by core
    std::vector<std::int64_t> words_;    ///< by channel
    std::unordered_map<std::uint64_t, path> paths_;
    std::priority_queue<coming, std::vector<coming>, std::greater<>> coming_;
    std::int64_t written_ = 0;
};

} // namespace lisle::tile
