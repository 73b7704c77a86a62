// SPDX-License-Identifier: Apache-2.0
// When the packets that are on a mesh were written. Packets pass an entrance of a router in order, so their
// times do as well: a queue for each entrance, and the packet that is arriving for each port.
#pragma once

#include <deque>
#include <vector>

#include "tile/network/parameters.hpp"
#include "tile/network/route_header.hpp"

namespace lisle::tile {

class packet_clock {
  public:
    explicit packet_clock(int tiles)
        : tiles_{tiles}, left_(static_cast<std::size_t>(tiles)),
          times_(static_cast<std::size_t>(tiles) * (sides + 1)) {}

    /// A core writes the next word. @return whether it is a header
    bool is_header(int tile, word next) {
        int &left = left_[static_cast<std::size_t>(tile)];
        if (left != 0) {
            --left;
            return false;
        }
        left = payload_of(next);
        return true;
    }
    void header_written(int tile, cycle begun) {
        at(tile * sides + static_cast<int>(side::core)).push_back(begun);
    }
    /// @param from, to places: tile * sides + side, or a port
    void header_moved(int from, int to) {
        at(to).push_back(at(from).front());
        at(from).pop_front();
    }
    [[nodiscard]] int port(int tile) const noexcept { return tiles_ * sides + tile; }
    /// A packet's last word has come to a port. @return when its header was written
    cycle arrived(int tile) {
        const cycle written = at(port(tile)).front();
        at(port(tile)).pop_front();
        return written;
    }

  private:
    [[nodiscard]] std::deque<cycle> &at(int place) { return times_[static_cast<std::size_t>(place)]; }

    int tiles_;
    std::vector<int> left_; ///< by tile: words of the packet that the core has still to write
    std::vector<std::deque<cycle>> times_;
};

} // namespace lisle::tile
