// SPDX-License-Identifier: Apache-2.0
// Carries packets of bytes between ranks over a modelled mesh. Each rank has a tile. Its core carries out the
// rank's requests in virtual time; an interrupt handler assembles arriving packets in buffers that are
// reused.
//
// On the wire a packet is cut into packets of the mesh (mesh_codec.hpp). A core sends one packet at a time,
// so the receiver has at most one open packet of each sender.
//
// Memory is bounded: a rank keeps one packet of each sender and a few more. Further packets wait in the mesh,
// with the handler held, until the rank takes one. The handler runs even if the core has not caught up:
// otherwise two cores that stall on each other's ports would deadlock. It allocates nothing: without a free
// buffer it is held until the rank has made one.
//
// rMPI's versions have no such bounds: a packet is a whole message, as many are kept as arrive, and as many
// may be on their way to the core. The first looks at its port only while its rank has nothing else for the
// core to do, so two cores that stall on each other's ports deadlock.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "tile/fabric/carrier.hpp"
#include "tile/tile_array.hpp"

namespace lisle::fabric {

/// Not thread-safe.
class tile_carrier final : public carrier {
  public:
    /// @param tiles, notify as carrier has them @param largest_packet in bytes
    /// @param written how packets are written on the mesh
    /// @param awaits tells whether a posted receive takes a message; empty: none is known to be posted
    tile_carrier(const tile::parameters &machine, std::vector<int> tiles, std::size_t largest_packet,
                 std::function<void(int rank)> notify, const mesh_codec &codec = mesh_packets::lisle,
                 std::function<bool(int rank, const packet_header &)> awaits = {});
    ~tile_carrier() override;

    [[nodiscard]] packet *claim(int rank, std::size_t bytes) override;
    [[nodiscard]] bool may_claim(int rank) const noexcept override {
        return codec_.standard_mode_only() || !at(rank).to_send.empty();
    }
    void send(int rank, packet *filled) override;
    void work(int rank, tile::cycle cycles, tile::phase as = tile::phase::compute) override;
    [[nodiscard]] bool caught_up(int rank) const noexcept override { return at(rank).tasks.empty(); }
    /// Gives the handler a buffer if it waits for one.
    [[nodiscard]] packet *arrived(int rank) override;
    void release(int rank) override;
    [[nodiscard]] bool advance(tile::cycle until = tile::agenda::never) override;
    [[nodiscard]] tile::cycle now() const noexcept override { return model().now(); }
    [[nodiscard]] tile::cycle send_cycles() const noexcept override { return model().built().call_cycles; }
    [[nodiscard]] tile::cycle receive_cycles(const packet &received) const noexcept override;

    void measure() override { array_.model().measure(); }
    [[nodiscard]] tile::network_report report() const override { return model().report(); }
    [[nodiscard]] std::string picture() const override;
    [[nodiscard]] std::string summary() const override;
    [[nodiscard]] std::string standstill() const override;
    [[nodiscard]] const tile::machine &model() const noexcept { return array_.model(); }

  private:
    struct task {
        packet *sent = nullptr; ///< null: work
        tile::cycle cycles = 0;
        tile::phase as = tile::phase::compute;
    };
    /// The state of a rank at its tile.
    struct station final : tile::interrupt_handler {
        explicit station(tile_carrier &whole, int rank) : carrier{whole}, rank{rank} {}
        void words_arrived(tile::core &here) override;
        /// Between two words of a packet of a higher rank: waits for the next one, no longer than it takes to
        /// leave the handler and to come again. True: it is there.
        [[nodiscard]] bool rest_follows(tile::core &here) const;
        void read_header(tile::core &here);
        /// Called with a complete header: finds the place of the data. False: there is no room.
        [[nodiscard]] bool place_data(tile::core &here);
        void read_data(tile::core &here);
        [[nodiscard]] bool is_first() const noexcept;
        [[nodiscard]] std::size_t words_of_header() const noexcept;
        /// A buffer for an arriving packet; null: the rank has to make one.
        [[nodiscard]] packet *take_buffer(tile::core &here, bool in_place);
        /// The handler writes what this first header begins to a posted receive's buffer.
        [[nodiscard]] bool goes_in_place() const;

        /// A packet that is incomplete, and the words of it that are there.
        struct open_packet {
            packet *into = nullptr;
            std::size_t words = 0;
        };

        tile_carrier &carrier;
        int rank;
        tile::core *core = nullptr;
        std::deque<task> tasks;
        std::vector<std::unique_ptr<packet>> buffers; ///< all of this rank
        std::vector<packet *> to_send;                ///< free ones
        std::vector<packet *> to_receive;             ///< free ones
        std::deque<packet *> inbox;                   ///< complete, in order
        std::unordered_map<int, int> kept;            ///< by sender: packets that are complete or open
        int more = 0;                                 ///< of these, those besides each sender's first
        bool held = false;                            ///< the handler waits for room
        // The packet of the mesh that is arriving.
        std::unordered_map<int, open_packet> open; ///< by sender
        std::array<tile::word, 7> header{};
        std::size_t header_read = 0;
        open_packet *reading = nullptr; ///< null: its header is not complete, or there is no room
        int sender = 0;
        std::size_t left = 0; ///< words of it
    };

    [[nodiscard]] station &at(int rank) noexcept { return *stations_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const station &at(int rank) const noexcept {
        return *stations_[static_cast<std::size_t>(rank)];
    }
    void run_core(tile::core &here);
    void send_on_mesh(tile::core &here, int rank, const packet &sent);
    [[nodiscard]] packet *make_buffer(station &owner) const;

    std::size_t packet_words_;
    std::vector<int> rank_of_tile_;
    std::function<bool(int, const packet_header &)> awaits_;
    std::vector<std::unique_ptr<station>> stations_;
    tile::tile_array array_; ///< ends first: its programs use all of the above
};

} // namespace lisle::fabric
