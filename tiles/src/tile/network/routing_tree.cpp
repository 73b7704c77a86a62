// SPDX-License-Identifier: Apache-2.0
// Routings of a fat tree: up to a switch above the destination, then down, where there is one way. All waits
// are for links further on this way, so there is no ring of them.
#include <stdexcept>

#include "tile/network/routings.hpp"
#include "tile/network/topologies.hpp"

namespace lisle::tile {

namespace {

class tree_routing final : public routing {
  public:
    tree_routing(const parameters &machine, int lanes)
        : tree_{machine}, by_{machine.routed()}, lanes_{lanes} {}

    [[nodiscard]] std::string name() const override {
        return by_ == route::adaptive  ? "adaptive up"
               : by_ == route::valiant ? "random up"
                                       : "up by the destination's digits";
    }
    void next(const journey &of, int router, std::vector<hop> &may) const override {
        const std::uint32_t all = lanes_between(0, lanes_);
        const int level = tree_.level(router);
        if (tree_.above(router, of.to)) {
            may.push_back({tree_.digit(of.to, level), all});
            return;
        }
        const int first = tree_.down_exits(router);
        if (by_ != route::adaptive) {
            const auto number = by_ == route::valiant ? static_cast<int>(of.drawn >> 1) : of.to;
            may.push_back({first + tree_.digit(number, level), all});
            return;
        }
        for (int i = 0; i < tree_.arity; ++i) {
            may.push_back({first + i, all});
        }
    }

  private:
    fat_tree tree_;
    route by_;
    int lanes_;
};

} // namespace

routing_choice choose_tree_routing(const parameters &machine) {
    if (machine.routed() == route::odd_even) {
        throw std::invalid_argument("odd-even routing is for a mesh in two dimensions");
    }
    return {1, [machine](int lanes) { return std::make_unique<tree_routing>(machine, lanes); }};
}

} // namespace lisle::tile
