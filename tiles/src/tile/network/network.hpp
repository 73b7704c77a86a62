// SPDX-License-Identifier: Apache-2.0
// The network between cores as they see it: a port for each tile, into which a core writes the words of a
// packet, its header first, and from which it reads the payload of packets that have arrived. Packets arrive
// whole, one after the other, and those of one sender in the order in which they were written.
//
// Four parts have this interface: the mesh of the thesis (mesh.hpp), routers with virtual channels in any
// topology (channel_network.hpp), a network in which no packet waits for another (free_network.hpp), and
// several of these two between the same cores (network_set.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tile/network/geometry.hpp"
#include "tile/network/latencies.hpp"
#include "tile/network/parameters.hpp"
#include "tile/network/route_header.hpp"

namespace lisle::tile {

/// What has passed a core's port.
struct port_traffic {
    std::int64_t packets_sent = 0;
    std::int64_t packets_received = 0;
    std::int64_t words_received = 0; ///< without headers
};

/// One direction of a link between two routers.
struct link_traffic {
    int from = 0, to = 0;   ///< routers
    std::int64_t words = 0; ///< that have left, headers included
    int queued = 0;         ///< words in the buffer at its end now
    int most_queued = 0;
    int network = 0; ///< of several
};

/// Not thread-safe: one thread runs a whole model.
class network {
  public:
    explicit network(const parameters &machine)
        : shape_{machine.shape()}, waiting_(static_cast<std::size_t>(machine.tiles())) {}
    virtual ~network() = default;
    network(const network &) = delete;
    network &operator=(const network &) = delete;

    [[nodiscard]] const mesh_shape &shape() const noexcept { return shape_; }

    // ---- what a core does at its port, before the step of a cycle ----

    [[nodiscard]] virtual bool has_room(int tile) const noexcept = 0;
    /// Puts the next word of a packet (first its header) into the output buffer. @pre has_room(tile)
    virtual void write(int tile, word written, cycle now) = 0;
    /// The class of the packets that a core writes from now on, for machines with several networks. Not
    /// within a packet.
    virtual void carry_as(int /*tile*/, packet_class) {}
    /// Words in the input buffer.
    [[nodiscard]] int waiting(int tile) const noexcept { return waiting_[static_cast<std::size_t>(tile)]; }
    /// Takes the next word out of the input buffer. @pre waiting(tile) != 0
    virtual word read(int tile) = 0;

    // ---- time ----

    /// False: no word moves until a core reads or writes.
    [[nodiscard]] virtual bool active() const noexcept = 0;
    /// Moves words for one cycle.
    virtual void step(cycle now) = 0;
    /// Tiles whose input buffer got a word in the last step.
    [[nodiscard]] std::span<const int> arrivals() const noexcept { return arrivals_; }
    /// Tiles whose output buffer lost a word in the last step.
    [[nodiscard]] std::span<const int> departures() const noexcept { return departures_; }

    // ---- observation ----

    /// What it is, in a few words: "torus, adaptive routing, 3 virtual channels".
    [[nodiscard]] virtual std::string described() const = 0;
    [[nodiscard]] virtual port_traffic port(int tile) const noexcept = 0;
    /// All links that work.
    [[nodiscard]] virtual std::vector<link_traffic> links() const = 0;
    /// Words in all buffers.
    [[nodiscard]] virtual int words_under_way() const noexcept = 0;
    /// The tile that words in the output buffer of `tile` wait for, once nothing moves: the one whose full
    /// input buffer, or whose half-sent packet, is at the end of the chain. -1: they wait for none.
    [[nodiscard]] virtual int stopped_by(int tile) const noexcept = 0;
    /// From now on latencies() has each packet: from the cycle in which its header is written to that in
    /// which its last word has arrived and can be read. To be called before the first word is written.
    virtual void measure_latencies() { begins_.assign(waiting_.size(), unknown); }
    /// The next packet that a core writes counts from this cycle on; ignored: it is not measured.
    void date_next(int tile, cycle begins) { begins_[static_cast<std::size_t>(tile)] = begins; }
    static constexpr cycle ignored = -1;
    [[nodiscard]] virtual class latencies latencies() const { return latencies_; }
    /// Packets that latencies() has.
    [[nodiscard]] virtual std::int64_t packets_measured() const noexcept { return latencies_.packets(); }

  protected:
    [[nodiscard]] bool measures() const noexcept { return !begins_.empty(); }
    /// When the packet begins whose header a core writes now.
    [[nodiscard]] cycle begin_of(int tile, cycle now) {
        if (!measures()) {
            return ignored;
        }
        const cycle dated = std::exchange(begins_[static_cast<std::size_t>(tile)], unknown);
        return dated == unknown ? now : dated;
    }
    void count_latency(cycle begun, cycle arrived) {
        if (begun != ignored) {
            latencies_.add(arrived - begun);
        }
    }

    mesh_shape shape_;
    std::vector<int> waiting_; ///< by tile: words in the input buffer
    std::vector<int> arrivals_;
    std::vector<int> departures_;
    class latencies latencies_;

  private:
    static constexpr cycle unknown = -2;
    std::vector<cycle> begins_; ///< by tile: of its next packet; empty: latencies are not measured
};

/// True if the mesh of the thesis, whose last hop leads past the last router, is what the parameters ask for.
[[nodiscard]] bool is_thesis_mesh(const parameters &machine);

/// Throws std::invalid_argument with a sentence if packets or links are of networks that there are not.
void check_networks(const parameters &machine);

/// The network that the parameters ask for, or all of several. Throws std::invalid_argument with a sentence
/// if they do not fit each other.
[[nodiscard]] std::unique_ptr<network> make_network(const parameters &machine);

/// The busiest link, or none (words 0) if no word crossed a link.
[[nodiscard]] link_traffic find_busiest_link(const network &seen);

} // namespace lisle::tile
