// SPDX-License-Identifier: Apache-2.0
// What carries packets of bytes between the ranks of a job in virtual time: on a mesh word by word
// (tile_carrier.hpp), or as flows (flow_carrier.hpp). It carries out each rank's requests, packets to send
// and work, in order. The rank's program itself takes no virtual time, so it must wait until its requests
// have been carried out (caught_up) before it looks at what has arrived.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tile/fabric/mesh_codec.hpp"
#include "tile/network/report.hpp"
#include "tile/operation.hpp"

namespace lisle::fabric {

/// Not thread-safe.
class carrier {
  public:
    /// @param tiles by rank @param notify called when something has arrived for a rank, or its requests have
    /// been carried out. It must not call back.
    carrier(std::vector<int> tiles, mesh_codec codec, std::function<void(int rank)> notify)
        : tiles_{std::move(tiles)}, codec_{std::move(codec)}, notify_{std::move(notify)} {}
    virtual ~carrier() = default;
    carrier(const carrier &) = delete;
    carrier &operator=(const carrier &) = delete;

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
    [[nodiscard]] virtual packet *claim(int rank, std::size_t bytes) = 0;
    /// True if claim() would give one.
    [[nodiscard]] virtual bool may_claim(int rank) const noexcept = 0;
    /// Has a packet from claim() sent, whose peer and bytes are set.
    virtual void send(int rank, packet *filled) = 0;
    /// Has the rank's core compute. @param as what the cycles are booked under
    virtual void work(int rank, tile::cycle cycles, tile::phase as = tile::phase::compute) = 0;
    /// True if all requests of the rank have been carried out.
    [[nodiscard]] virtual bool caught_up(int rank) const noexcept = 0;

    /// The oldest packet that has arrived and may be taken, or null.
    [[nodiscard]] virtual packet *arrived(int rank) = 0;
    /// Releases the oldest packet.
    virtual void release(int rank) = 0;

    /// Lets virtual time pass until notify() has been called, or to the end of cycle `until`. False: nothing
    /// can happen any more.
    [[nodiscard]] virtual bool advance(tile::cycle until) = 0;
    [[nodiscard]] virtual tile::cycle now() const noexcept = 0;

    /// What the library takes for a packet that is sent, and for one that is received, besides send().
    [[nodiscard]] virtual tile::cycle send_cycles() const noexcept = 0;
    [[nodiscard]] virtual tile::cycle receive_cycles(const packet &received) const noexcept = 0;

    /// Has what report() says of time recorded. To be called first.
    virtual void measure() = 0;
    [[nodiscard]] virtual tile::network_report report() const = 0;
    /// An SVG of the machine's use; empty: there is none.
    [[nodiscard]] virtual std::string picture() const = 0;
    /// Lines for the end of a run.
    [[nodiscard]] virtual std::string summary() const = 0;
    /// Why nothing moves in the network, when nothing can happen any more; empty: it is idle.
    [[nodiscard]] virtual std::string standstill() const = 0;

    [[nodiscard]] const std::vector<int> &tiles() const noexcept { return tiles_; }
    [[nodiscard]] int ranks() const noexcept { return static_cast<int>(tiles_.size()); }
    [[nodiscard]] const mesh_codec &codec() const noexcept { return codec_; }

  protected:
    void notify(int rank) {
        notified_ = true;
        notify_(rank);
    }

    std::vector<int> tiles_;
    mesh_codec codec_;
    bool notified_ = false; ///< since time last began to pass

  private:
    std::function<void(int)> notify_;
};

/// What the ranks' cores and the words on links have spent, as a line of the summary; empty if the machine
/// says nothing of that. @param shares of all ranks' time
[[nodiscard]] std::string describe_energy(const tile::parameters &machine,
                                          const std::array<double, tile::phases> &shares, double cycles,
                                          int ranks, std::int64_t words);

/// What the share of phases in all ranks' time was, as a line of the summary.
[[nodiscard]] std::string describe_phases(const std::array<double, tile::phases> &shares, int ranks);

} // namespace lisle::fabric
