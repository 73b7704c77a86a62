// SPDX-License-Identifier: Apache-2.0
#include "tile/network/grid.hpp"

#include <stdexcept>
#include <string>

namespace lisle::tile {

grid::grid(const parameters &machine)
    : columns_{static_cast<int>(machine.width)}, across_{static_cast<int>(machine.concentration_x)},
      along_{static_cast<int>(machine.concentration_y)}, rows_{static_cast<int>(machine.height)},
      closed_{machine.joined() != topology::mesh} {
    if (machine.joined() == topology::ring) {
        if (across_ != 1 || along_ != 1) {
            throw std::invalid_argument("each tile of a ring has a router of its own: concentration_x and "
                                        "concentration_y are for a mesh or torus");
        }
        sizes_ = {machine.tiles(), 1, 1};
        columns_ = machine.tiles();
        rows_ = 1;
        return;
    }
    if (columns_ % across_ != 0 || rows_ % along_ != 0) {
        throw std::invalid_argument(std::to_string(columns_) + " x " + std::to_string(rows_) +
                                    " tiles are no whole number of routers with " + std::to_string(across_) +
                                    " x " + std::to_string(along_));
    }
    sizes_ = {columns_ / across_, rows_ / along_, static_cast<int>(machine.depth)};
}

int grid::router_of(int core) const noexcept {
    const int column = core % columns_ / across_;
    const int row = core / columns_ % rows_ / along_;
    return (core / (columns_ * rows_) * sizes_[1] + row) * sizes_[0] + column;
}

int grid::beyond(int router, int exit) const noexcept {
    const int dimension = exit / 2;
    const int step = exit % 2 == 0 ? 1 : -1;
    const int here = at(router, dimension);
    const int length = size(dimension);
    if (length == 1 || (!closed_ && (here + step < 0 || here + step >= length))) {
        return -1;
    }
    const int stride = dimension == 0 ? 1 : dimension == 1 ? sizes_[0] : sizes_[0] * sizes_[1];
    return router + ((here + step + length) % length - here) * stride;
}

int grid::distance(int from, int to, int dimension, bool up) const noexcept {
    const int length = size(dimension);
    const int ahead = up ? at(to, dimension) - at(from, dimension) : at(from, dimension) - at(to, dimension);
    return closed_ ? (ahead + length) % length : ahead;
}

grid::direction grid::shortest(int from, int to, int dimension) const noexcept {
    const int up = distance(from, to, dimension, true);
    if (up == 0) {
        return {};
    }
    if (!closed_) {
        return {up > 0, up < 0};
    }
    const int down = size(dimension) - up;
    return {up <= down, down <= up};
}

} // namespace lisle::tile
