// SPDX-License-Identifier: Apache-2.0
// Carries packets of bytes between ranks over a modelled mesh. Each rank has a tile. Its core carries out the
// rank's requests (packets to send, work) in order and in virtual time; an interrupt handler assembles
// arriving packets in buffers that are reused. The rank's program itself takes no virtual time, so it must
// wait until its core has caught up (caught_up) before it looks at what has arrived.
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

#include "tile/fabric/mesh_codec.hpp"
#include "tile/tile_array.hpp"

namespace lisle::fabric {

/// Not thread-safe.
class tile_carrier {
  public:
    /// @param tiles by rank @param largest_packet in bytes
    /// @param notify called when something has arrived for a rank, or its core has caught up. It must not
    /// call back.
    /// @param written how packets are written on the mesh
    /// @param awaits tells whether a posted receive takes a message; empty: none is known to be posted
    tile_carrier(const tile::parameters &machine, std::vector<int> tiles, std::size_t largest_packet,
                 std::function<void(int rank)> notify, const mesh_codec &codec = mesh_packets::lisle,
                 std::function<bool(int rank, const packet_header &)> awaits = {});
    ~tile_carrier();
    tile_carrier(const tile_carrier &) = delete;
    tile_carrier &operator=(const tile_carrier &) = delete;

    struct packet {
        int owner = 0;         ///< the rank whose buffer it is
        int peer = 0;          ///< its destination, or its source
        std::size_t bytes = 0; ///< of data that are in use
        /// The handler has written the data to the buffer of a receive, which was posted before.
        bool in_place = false;
        std::vector<tile::word> data;
        [[nodiscard]] std::byte *begin() noexcept { return reinterpret_cast<std::byte *>(data.data()); }
        [[nodiscard]] std::span<const std::byte> view() const noexcept {
            return {reinterpret_cast<const std::byte *>(data.data()), bytes};
        }
    };

    /// A buffer for a packet, which goes to send() next; null: the rank has as many under way as it may.
    [[nodiscard]] packet *claim(int rank, std::size_t bytes);
    /// True if claim() would give one.
    [[nodiscard]] bool may_claim(int rank) const noexcept {
        return codec_.standard_mode_only() || !at(rank).to_send.empty();
    }
    /// Has the rank's core send a packet from claim(), whose peer and bytes are set.
    void send(int rank, packet *filled);
    /// Has the rank's core compute. @param as what the cycles are booked under
    void work(int rank, tile::cycle cycles, tile::phase as = tile::phase::compute);
    /// True if the core has carried out all requests of the rank.
    [[nodiscard]] bool caught_up(int rank) const noexcept { return at(rank).tasks.empty(); }

    /// The oldest packet that has arrived and may be taken, or null. Gives the handler a buffer if it waits
    /// for one.
    [[nodiscard]] packet *arrived(int rank);
    /// Releases the oldest packet.
    void release(int rank);

    /// Lets virtual time pass until notify() has been called, or to the end of cycle `until`. False: nothing
    /// can happen any more.
    [[nodiscard]] bool advance(tile::cycle until = tile::agenda::never);
    /// As machine::measure().
    void measure() { array_.model().measure(); }
    [[nodiscard]] tile::cycle now() const noexcept { return array_.model().now(); }
    [[nodiscard]] const tile::machine &model() const noexcept { return array_.model(); }
    [[nodiscard]] const std::vector<int> &tiles() const noexcept { return tiles_; }
    [[nodiscard]] const mesh_codec &codec() const noexcept { return codec_; }

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
    void notify(int rank) {
        notified_ = true;
        notify_(rank);
    }

    std::vector<int> tiles_;
    std::size_t packet_words_;
    mesh_codec codec_;
    std::vector<int> rank_of_tile_;
    std::function<void(int)> notify_;
    std::function<bool(int, const packet_header &)> awaits_;
    bool notified_ = false;
    std::vector<std::unique_ptr<station>> stations_;
    tile::tile_array array_; ///< ends first: its programs use all of the above
};

} // namespace lisle::fabric
