// SPDX-License-Identifier: Apache-2.0
// A routing of one's own: Glass and Ni's west-first on a mesh. A packet that has to go west goes there first;
// all others may turn as they like, to where there is room. As no packet turns to the west, packets cannot
// wait for each other in a ring. [C. J. Glass, L. M. Ni: The turn model for adaptive routing, 1992]
//
//     c++ -std=c++20 -O2 -shared -fPIC $(pkg-config --cflags lisle-tiles) west_first.cpp -o west_first.so
#include <stdexcept>

#include "tile/network/extension.hpp"

namespace {

using namespace lisle::tile;

/// The exits of a mesh's router: x upwards and downwards, then y.
enum exit_of_mesh { east, west, south, north };

class west_first final : public routing {
  public:
    west_first(int width, int lanes) : width_{width}, all_lanes_{lanes_between(0, lanes)} {}
    [[nodiscard]] std::string name() const override { return "west-first"; }
    void next(const journey &of, int router, std::vector<hop> &may) const override {
        const int across = of.to % width_ - router % width_;
        const int along = of.to / width_ - router / width_;
        if (across < 0) {
            may.push_back({west, all_lanes_});
            return;
        }
        if (across > 0) {
            may.push_back({east, all_lanes_});
        }
        if (along != 0) {
            may.push_back({along > 0 ? south : north, all_lanes_});
        }
    }

  private:
    int width_;
    std::uint32_t all_lanes_;
};

std::unique_ptr<routing> make(const parameters &machine, const wiring &joined, int &lanes) {
    if (machine.joined() != topology::mesh || machine.depth != 1 || joined.routers() != machine.tiles() ||
        joined.broken() != 0) {
        throw std::invalid_argument(
            "west-first is for a whole mesh in two dimensions, with a tile at each router");
    }
    lanes = lanes == 0 ? 1 : lanes;
    return std::make_unique<west_first>(static_cast<int>(machine.width), lanes);
}

} // namespace

extern "C" const extension lisle_tile_extension{.make_routing = make};
