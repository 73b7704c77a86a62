// SPDX-License-Identifier: Apache-2.0
// Meshes, tori and rings in one, two or three dimensions: coordinates of routers, and which way is shorter.
#pragma once

#include <array>
#include <cstdlib>

#include "tile/network/parameters.hpp"

namespace lisle::tile {

class grid {
  public:
    static constexpr int dimensions = 3;

    /// Throws std::invalid_argument if the tiles do not fill routers that have several.
    explicit grid(const parameters &machine);

    [[nodiscard]] bool closed() const noexcept { return closed_; } ///< a torus or a ring
    [[nodiscard]] int size(int dimension) const noexcept {
        return sizes_[static_cast<std::size_t>(dimension)];
    }
    [[nodiscard]] int routers() const noexcept { return sizes_[0] * sizes_[1] * sizes_[2]; }
    [[nodiscard]] int at(int router, int dimension) const noexcept {
        const int stride = dimension == 0 ? 1 : dimension == 1 ? sizes_[0] : sizes_[0] * sizes_[1];
        return router / stride % size(dimension);
    }
    /// The router of a core.
    [[nodiscard]] int router_of(int core) const noexcept;

    /// The number of the exit towards larger or smaller coordinates.
    [[nodiscard]] static constexpr int exit(int dimension, bool up) noexcept {
        return 2 * dimension + (up ? 0 : 1);
    }
    /// The router behind an exit, or -1.
    [[nodiscard]] int beyond(int router, int exit) const noexcept;
    /// Links to cross in one dimension in a direction.
    [[nodiscard]] int distance(int from, int to, int dimension, bool up) const noexcept;
    /// Which directions are shortest.
    struct direction {
        bool up = false, down = false;
    };
    [[nodiscard]] direction shortest(int from, int to, int dimension) const noexcept;
    /// In a closed dimension: whether the rest of the way crosses the link that closes it. The lane classes
    /// of this are what keeps packets from waiting for each other all the way round (a dateline).
    [[nodiscard]] bool crosses_end(int here, int to, int dimension, bool up) const noexcept {
        return closed_ &&
               (up ? at(to, dimension) < at(here, dimension) : at(to, dimension) > at(here, dimension));
    }

  private:
    std::array<int, dimensions> sizes_{1, 1, 1};
    int columns_, across_, along_; ///< of tiles: in a row; at a router
    int rows_;
    bool closed_;
};

} // namespace lisle::tile
