// SPDX-License-Identifier: Apache-2.0
// Routings by tables, for graphs and for what is left of a topology when something is broken. The tables of a
// destination are made when the first packet goes there.
//
// A breadth-first tree orders the routers; a link leads up if it leads to a router that comes earlier. A way
// goes up first and then down (up*/down*), so waits are for links further up, or from up to down, or further
// down: never in a ring, without a lane of their own.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "tile/network/routings.hpp"

namespace lisle::tile {

namespace {

constexpr int unreached = std::numeric_limits<int>::max() / 2;

/// Links to a destination from each router.
struct distances {
    std::vector<int> any;   ///< by any way
    std::vector<int> down;  ///< by a way that leads down only
    std::vector<int> legal; ///< by a way up and then down
};

class tables {
  public:
    explicit tables(const wiring &joined)
        : joined_{joined}, place_(static_cast<std::size_t>(joined.routers())) {
        std::vector<char> seen(place_.size());
        for (int root = 0; root < joined.routers(); ++root) {
            if (seen[static_cast<std::size_t>(root)] == 0 && joined.works(root)) {
                visit_from(root, seen);
            }
        }
        for (std::size_t i = 0; i < order_.size(); ++i) {
            place_[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
        }
    }

    [[nodiscard]] bool leads_up(const channel &way) const noexcept { return place(way.to) < place(way.from); }

    [[nodiscard]] const distances &to(int router) const {
        const auto [found, is_new] = made_.try_emplace(router);
        if (is_new) {
            fill(router, found->second);
        }
        return found->second;
    }

    /// Calls use(channel) for each working channel that leads away from a router.
    template <class Use> void each_exit(int router, const Use &use) const {
        for (const int number : joined_.exits(router)) {
            if (number != wiring::none && !joined_.channels()[static_cast<std::size_t>(number)].broken) {
                use(joined_.channels()[static_cast<std::size_t>(number)]);
            }
        }
    }

  private:
    [[nodiscard]] int place(int router) const noexcept { return place_[static_cast<std::size_t>(router)]; }

    void visit_from(int root, std::vector<char> &seen) {
        std::size_t next = order_.size();
        order_.push_back(root);
        seen[static_cast<std::size_t>(root)] = 1;
        for (; next < order_.size(); ++next) {
            each_exit(order_[next], [&](const channel &way) {
                if (seen[static_cast<std::size_t>(way.to)] == 0) {
                    seen[static_cast<std::size_t>(way.to)] = 1;
                    order_.push_back(way.to);
                }
            });
        }
    }

    /// Distances backwards from `router` over channels that `use` accepts.
    template <class Use> std::vector<int> backwards(int router, const Use &use) const {
        std::vector<int> distance(place_.size(), unreached);
        std::vector<int> queue{router};
        distance[static_cast<std::size_t>(router)] = 0;
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const int here = queue[next];
            for (const int number : joined_.entrances(here)) {
                const channel &way = joined_.channels()[static_cast<std::size_t>(number)];
                int &of_other = distance[static_cast<std::size_t>(way.from)];
                if (!way.broken && of_other == unreached && use(way)) {
                    of_other = distance[static_cast<std::size_t>(here)] + 1;
                    queue.push_back(way.from);
                }
            }
        }
        return distance;
    }

    void fill(int router, distances &made) const {
        made.any = backwards(router, [](const channel &) { return true; });
        made.down = backwards(router, [this](const channel &way) { return !leads_up(way); });
        made.legal = made.down;
        for (const int here : order_) { // those that are further up come first
            each_exit(here, [&](const channel &way) {
                if (leads_up(way)) {
                    int &best = made.legal[static_cast<std::size_t>(here)];
                    best = std::min(best, made.legal[static_cast<std::size_t>(way.to)] + 1);
                }
            });
        }
    }

    const wiring &joined_;
    std::vector<int> order_; ///< routers
    std::vector<int> place_; ///< in the order
    mutable std::unordered_map<int, distances> made_;
};

class table_routing final : public routing {
  public:
    table_routing(const wiring &joined, bool adaptive, int lanes)
        : joined_{joined}, tables_{joined}, adaptive_{adaptive}, lanes_{lanes} {}

    [[nodiscard]] std::string name() const override {
        return adaptive_ ? "minimal adaptive with up*/down*" : "up*/down*";
    }
    [[nodiscard]] bool wants_empty_lanes() const noexcept override { return adaptive_; }

    void next(const journey &of, int router, std::vector<hop> &may) const override {
        const distances &to = tables_.to(joined_.router_of(of.to));
        if (adaptive_ && !of.escaped) {
            const int here = to.any[static_cast<std::size_t>(router)];
            tables_.each_exit(router, [&](const channel &way) {
                if (to.any[static_cast<std::size_t>(way.to)] < here) {
                    may.push_back({way.exit, lanes_between(1, lanes_)});
                }
            });
        }
        may.push_back({up_and_down(of, router, to), adaptive_ ? 1U : lanes_between(0, lanes_), adaptive_});
    }

    void taken(journey &of, int router, const hop &through) const override {
        // The stage is that of a way up and down: 1 behind the first link down.
        if ((!adaptive_ || through.last_resort) && !tables_.leads_up(joined_.through(router, through.exit))) {
            of.stage = 1;
        }
    }

  private:
    /// The exit of the shortest way that is allowed; of equal ones that of the pair.
    [[nodiscard]] int up_and_down(const journey &of, int router, const distances &to) const {
        const bool only_down = of.stage != 0;
        const auto left = [&](const channel &way) {
            const bool up = tables_.leads_up(way);
            if (up && only_down) {
                return unreached;
            }
            return (up ? to.legal : to.down)[static_cast<std::size_t>(way.to)];
        };
        int best = unreached;
        int equal = 0;
        tables_.each_exit(router, [&](const channel &way) {
            equal = left(way) < best ? 0 : equal;
            best = std::min(best, left(way));
            equal += left(way) == best ? 1 : 0;
        });
        int chosen = -1;
        int skipped = (of.from + of.to) % equal;
        tables_.each_exit(router, [&](const channel &way) {
            if (left(way) == best && skipped-- == 0) {
                chosen = way.exit;
            }
        });
        return chosen;
    }

    const wiring &joined_;
    tables tables_;
    bool adaptive_;
    int lanes_;
};

} // namespace

routing_choice choose_table_routing(const parameters &machine, const wiring &joined) {
    if (machine.routed() == route::valiant || machine.routed() == route::odd_even) {
        throw std::invalid_argument(
            std::string(machine.routed() == route::valiant ? "Valiant" : "odd-even") +
            " routing does not go by tables, "
            "as a graph and broken links need it: routing = fixed, up_down and adaptive do");
    }
    const bool adaptive = machine.routed() == route::adaptive;
    return {adaptive ? 2 : 1, [&joined, adaptive](int lanes) {
                return std::make_unique<table_routing>(joined, adaptive, lanes);
            }};
}

} // namespace lisle::tile
