// SPDX-License-Identifier: Apache-2.0
// Routings of a dragonfly: within the group to the router with the global link, over it, and within the next
// group. Lanes are of the class of the global links that the packet has behind it, and within a class one
// link of the group comes before one global link, so there is no ring of waits.
#include <stdexcept>

#include "tile/network/routings.hpp"
#include "tile/network/topologies.hpp"

namespace lisle::tile {

namespace {

class dragonfly_routing final : public routing {
  public:
    dragonfly_routing(const parameters &machine, int classes, int lanes)
        : shape_{machine}, by_{machine.routed()}, classes_{classes}, lanes_{lanes} {}

    [[nodiscard]] std::string name() const override {
        return by_ == route::adaptive  ? "minimal or Valiant by the queues (UGAL)"
               : by_ == route::valiant ? "Valiant"
                                       : "minimal";
    }

    void begin(journey &of, const load_view &load) const override {
        const int own = shape_.group(router_of(of.from));
        const int last = shape_.group(router_of(of.to));
        if (by_ == route::fixed || own == last || shape_.groups < 3) {
            return;
        }
        int other = static_cast<int>(of.drawn % static_cast<std::uint32_t>(shape_.groups - 2));
        for (const int taken : {std::min(own, last), std::max(own, last)}) {
            other += other >= taken ? 1 : 0;
        }
        if (by_ == route::valiant || detour_is_shorter(of, other, load)) {
            of.via = other;
        }
    }

    void next(const journey &of, int router, std::vector<hop> &may) const override {
        may.push_back({towards(of, router), lanes_of_class(of.stage, classes_, lanes_)});
    }

    void taken(journey &of, int router, const hop &through) const override {
        if (through.exit < shape_.routers - 1) {
            return;
        }
        ++of.stage;
        const int own = shape_.group(router);
        if (of.via >= 0 && shape_.towards(own, of.via).exit == through.exit &&
            shape_.towards(own, of.via).router == router) {
            of.via = -1;
        }
    }

  private:
    [[nodiscard]] int router_of(int core) const noexcept { return core / shape_.cores; }

    [[nodiscard]] int towards(const journey &of, int router) const noexcept {
        const int own = shape_.group(router);
        const int last = router_of(of.to);
        const int group = of.via >= 0 ? of.via : shape_.group(last);
        if (group == own) {
            return shape_.local_exit(router, last);
        }
        const dragonfly::gate gate = shape_.towards(own, group);
        return gate.router == router ? gate.exit : shape_.local_exit(router, gate.router);
    }

    [[nodiscard]] int links_of(journey of) const noexcept {
        int links = 0;
        for (int router = router_of(of.from); router != router_of(of.to); ++links) {
            const int exit = towards(of, router);
            const int own = shape_.group(router);
            if (exit < shape_.routers - 1) {
                const int local = exit + (exit >= router % shape_.routers ? 1 : 0);
                router = own * shape_.routers + local;
            } else {
                const int group = of.via >= 0 ? of.via : shape_.group(router_of(of.to));
                router = shape_.towards(group, own).router;
                of.via = -1;
            }
        }
        return links;
    }

    /// What waits on the first link, times the links of the way.
    [[nodiscard]] bool detour_is_shorter(const journey &of, int via, const load_view &load) const {
        const auto cost = [&](int by) {
            journey other = of;
            other.via = by;
            const int router = router_of(of.from);
            return load.queued(router, towards(other, router)) * links_of(other);
        };
        return cost(via) < cost(-1);
    }

    dragonfly shape_;
    route by_;
    int classes_, lanes_;
};

} // namespace

routing_choice choose_dragonfly_routing(const parameters &machine) {
    if (machine.routed() == route::odd_even) {
        throw std::invalid_argument("odd-even routing is for a mesh in two dimensions");
    }
    const int classes = machine.routed() == route::fixed ? 2 : 3;
    return {classes, [machine, classes](int lanes) {
                return std::make_unique<dragonfly_routing>(machine, classes, lanes);
            }};
}

} // namespace lisle::tile
