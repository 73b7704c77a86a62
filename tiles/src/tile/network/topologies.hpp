// SPDX-License-Identifier: Apache-2.0
// The topologies: how each joins its routers.
#pragma once

#include "tile/network/wiring.hpp"

namespace lisle::tile {

/// The routers, links and cores of the topology that the parameters name, with what they change of it. Throws
/// std::invalid_argument if the number of tiles does not fit it.
[[nodiscard]] wiring make_wiring(const parameters &machine);

/// "fat tree".
[[nodiscard]] std::string name_of_topology(const parameters &machine);

/// A fat tree whose switches have as many links upwards as downwards (a k-ary n-tree): switch `place` of a
/// level, leaves first; its exits are the links down (none at a leaf), then those up.
struct fat_tree {
    int arity = 2, levels = 1, width = 1; ///< width: switches of a level
    /// Throws std::invalid_argument if the tiles are no power of the arity.
    explicit fat_tree(const parameters &machine);
    [[nodiscard]] int level(int router) const noexcept { return router / width; }
    [[nodiscard]] int place(int router) const noexcept { return router % width; }
    /// Digit `which` of a number with base arity, the lowest is 0.
    [[nodiscard]] int digit(int number, int which) const noexcept;
    /// Whether links down lead from a switch to a core.
    [[nodiscard]] bool above(int router, int core) const noexcept;
    [[nodiscard]] int down_exits(int router) const noexcept { return level(router) == 0 ? 0 : arity; }
};

/// Groups of routers, each joined to all of its group, whose global links join each group to each other one.
/// Exits of a router are those to its group in order, without itself, then the global ones.
struct dragonfly {
    int cores, routers, links, groups; ///< at a router; in a group; global at a router
    /// Throws std::invalid_argument if the tiles do not fill groups, or the global links are too few for
    /// them.
    explicit dragonfly(const parameters &machine);
    [[nodiscard]] int group(int router) const noexcept { return router / routers; }
    /// The exit of `from` to another router of its group.
    [[nodiscard]] int local_exit(int from, int to) const noexcept {
        return to % routers - (to % routers > from % routers ? 1 : 0);
    }
    /// The router of a group whose global link leads to another group, and the exit there.
    struct gate {
        int router, exit;
    };
    [[nodiscard]] gate towards(int group, int other) const noexcept;
};

} // namespace lisle::tile
