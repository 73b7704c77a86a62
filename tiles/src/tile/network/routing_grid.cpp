// SPDX-License-Identifier: Apache-2.0
#include "tile/network/routings.hpp"

#include <stdexcept>

#include "tile/network/grid.hpp"

namespace lisle::tile {

namespace {

struct grid_step {
    int exit = -1;
    int lane_class = 0;
};

class grid_routing : public routing {
  public:
    grid_routing(const parameters &machine, int lanes) : grid_{machine}, lanes_{lanes} {}

  protected:
    [[nodiscard]] int classes() const noexcept { return grid_.closed() ? 2 : 1; }
    /// One link further in the first dimension in which the two differ. In a dimension links are waited for
    /// in one order: from the link behind the end of a ring on in class 1, before it in class 0; and
    /// dimensions come one after the other. So no packets wait in a ring.
    [[nodiscard]] grid_step in_order(int router, int to, std::uint32_t drawn) const noexcept {
        for (int dimension = 0; dimension < grid::dimensions; ++dimension) {
            const grid::direction ways = grid_.shortest(router, to, dimension);
            if (!ways.up && !ways.down) {
                continue;
            }
            const bool up = ways.up && (!ways.down || (drawn >> dimension & 1U) != 0);
            const bool second = grid_.closed() && !grid_.crosses_end(router, to, dimension, up);
            return {grid::exit(dimension, up), second ? 1 : 0};
        }
        return {};
    }

    grid grid_;
    int lanes_;
};

/// Where both directions are as short, either.
class dimension_order final : public grid_routing {
  public:
    using grid_routing::grid_routing;
    [[nodiscard]] std::string name() const override { return "dimension order"; }
    void next(const journey &of, int router, std::vector<hop> &may) const override {
        const grid_step step = in_order(router, grid_.router_of(of.to), of.drawn);
        may.push_back({step.exit, lanes_of_class(step.lane_class, classes(), lanes_)});
    }
};

/// In dimension order to a router drawn for the packet, and from there to the destination, in lanes of their
/// own.
class valiant_grid final : public grid_routing {
  public:
    using grid_routing::grid_routing;
    [[nodiscard]] std::string name() const override { return "Valiant"; }
    void begin(journey &of, const load_view &) const override {
        of.via = static_cast<int>(of.drawn / 8 % static_cast<std::uint32_t>(grid_.routers()));
        if (of.via == grid_.router_of(of.from)) {
            of.via = -1;
        }
    }
    void next(const journey &of, int router, std::vector<hop> &may) const override {
        const bool second = of.via < 0;
        const grid_step step = in_order(router, second ? grid_.router_of(of.to) : of.via, of.drawn);
        may.push_back(
            {step.exit, lanes_of_class(step.lane_class + (second ? classes() : 0), 2 * classes(), lanes_)});
    }
    void taken(journey &of, int router, const hop &through) const override {
        if (grid_.beyond(router, through.exit) == of.via) {
            of.via = -1;
        }
    }
};

/// Any link that leads nearer, in lanes that are given away only when they are empty, so the header of a
/// packet always stands in front; and dimension order in lanes of its own as a last resort, which a packet
/// does not leave again. Packets there reach their destinations, so each header in front finds a way in the
/// end (Duato).
class adaptive_grid final : public grid_routing {
  public:
    using grid_routing::grid_routing;
    [[nodiscard]] std::string name() const override { return "minimal adaptive"; }
    [[nodiscard]] bool wants_empty_lanes() const noexcept override { return true; }
    void next(const journey &of, int router, std::vector<hop> &may) const override {
        const int to = grid_.router_of(of.to);
        for (int dimension = 0; !of.escaped && dimension < grid::dimensions; ++dimension) {
            const grid::direction ways = grid_.shortest(router, to, dimension);
            for (const bool up : {true, false}) {
                if (up ? ways.up : ways.down) {
                    may.push_back({grid::exit(dimension, up), lanes_between(classes(), lanes_)});
                }
            }
        }
        const grid_step step = in_order(router, to, of.drawn);
        may.push_back({step.exit, 1U << step.lane_class, true});
    }
};

/// Chiu's odd-even turns: packets to the east do not turn in even columns, packets to the west do not turn in
/// odd ones, so the rightmost column of a ring of waits would have a turn that is not allowed.
class odd_even final : public grid_routing {
  public:
    using grid_routing::grid_routing;
    [[nodiscard]] std::string name() const override { return "odd-even"; }
    void next(const journey &of, int router, std::vector<hop> &may) const override {
        const int to = grid_.router_of(of.to);
        const int column = grid_.at(router, 0);
        const int across = grid_.at(to, 0) - column;
        const int along = grid_.at(to, 1) - grid_.at(router, 1);
        const std::uint32_t all = lanes_between(0, lanes_);
        const hop vertical{grid::exit(1, along > 0), all};
        if (across == 0) {
            may.push_back(vertical);
        } else if (across > 0) {
            const bool from_here = column == grid_.at(grid_.router_of(of.from), 0);
            if (along != 0 && (column % 2 == 1 || from_here)) {
                may.push_back(vertical);
            }
            if (along == 0 || grid_.at(to, 0) % 2 == 1 || across != 1) {
                may.push_back({grid::exit(0, true), all});
            }
        } else {
            may.push_back({grid::exit(0, false), all});
            if (along != 0 && column % 2 == 0) {
                may.push_back(vertical);
            }
        }
    }
};

} // namespace

routing_choice choose_grid_routing(const parameters &machine) {
    const grid shape{machine};
    const int classes = shape.closed() ? 2 : 1;
    const auto make = [machine]<class Routing>() {
        return [machine](int lanes) -> std::unique_ptr<routing> {
            return std::make_unique<Routing>(machine, lanes);
        };
    };
    switch (machine.routed()) {
    case route::adaptive:
        return {classes + 1, make.operator()<adaptive_grid>()};
    case route::valiant:
        return {2 * classes, make.operator()<valiant_grid>()};
    case route::odd_even:
        if (shape.closed() || shape.size(2) != 1) {
            throw std::invalid_argument("odd-even routing is for a mesh in two dimensions");
        }
        return {1, make.operator()<odd_even>()};
    case route::fixed:
    case route::up_down:
    case route::own:
        break;
    }
    return {classes, make.operator()<dimension_order>()};
}

} // namespace lisle::tile
