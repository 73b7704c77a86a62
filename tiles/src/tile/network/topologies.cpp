// SPDX-License-Identifier: Apache-2.0
#include "tile/network/topologies.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "tile/network/grid.hpp"

namespace lisle::tile {

namespace {

wiring join_grid(const parameters &machine) {
    const grid shape{machine};
    wiring joined{shape.routers(), machine};
    for (int router = 0; router < shape.routers(); ++router) {
        for (int exit = 0; exit < 2 * grid::dimensions; ++exit) {
            if (const int next = shape.beyond(router, exit); next >= 0) {
                joined.join(router, next, exit);
            }
        }
    }
    for (int core = 0; core < machine.tiles(); ++core) {
        joined.attach(shape.router_of(core));
    }
    return joined;
}

wiring join_tree(const parameters &machine) {
    const fat_tree tree{machine};
    wiring joined{tree.levels * tree.width, machine};
    for (int router = 0; router < joined.routers(); ++router) {
        const int level = tree.level(router);
        int stride = 1; // of the digit in which the two ends of a link differ
        for (int i = 1; i < level; ++i) {
            stride *= tree.arity;
        }
        const auto join_all = [&](int other_level, int digit, int step, int first_exit) {
            const int base = tree.place(router) - tree.digit(tree.place(router), digit) * step;
            for (int i = 0; i < tree.arity; ++i) {
                joined.join(router, other_level * tree.width + base + i * step, first_exit + i);
            }
        };
        if (level > 0) {
            join_all(level - 1, level - 1, stride, 0);
        }
        if (level + 1 < tree.levels) {
            join_all(level + 1, level, level == 0 ? 1 : stride * tree.arity, tree.down_exits(router));
        }
    }
    for (int core = 0; core < machine.tiles(); ++core) {
        joined.attach(core / tree.arity);
    }
    return joined;
}

wiring join_dragonfly(const parameters &machine) {
    const dragonfly shape{machine};
    wiring joined{shape.groups * shape.routers, machine};
    for (int router = 0; router < joined.routers(); ++router) {
        const int first = shape.group(router) * shape.routers;
        for (int other = first; other < first + shape.routers; ++other) {
            if (other != router) {
                joined.join(router, other, shape.local_exit(router, other));
            }
        }
    }
    for (int group = 0; group < shape.groups; ++group) {
        for (int other = 0; other < shape.groups; ++other) {
            if (other != group) {
                const dragonfly::gate here = shape.towards(group, other);
                joined.join(here.router, shape.towards(other, group).router, here.exit);
            }
        }
    }
    for (int core = 0; core < machine.tiles(); ++core) {
        joined.attach(core / shape.cores);
    }
    return joined;
}

/// What a file of links says: "A B [width N] [period N] [latency N]" for a link, "core A" for the router of
/// the next core. Without such lines each router has a core.
struct graph_file {
    std::vector<link_change> links;
    std::vector<int> cores;
    int routers = 0;
};

graph_file read_graph(const std::string &file) {
    std::ifstream from{file};
    if (!from) {
        throw std::invalid_argument("the graph " + (file.empty() ? "(graph = FILE)" : file) +
                                    " cannot be read");
    }
    graph_file read;
    std::string line;
    for (int number = 1; std::getline(from, line); ++number) {
        line.resize(std::min(line.find('#'), line.size()));
        if (line.find_first_not_of(" \t\r") == line.npos) {
            continue;
        }
        try {
            const bool core = line.rfind("core ", 0) == 0;
            const link_change link = read_link(core ? line.substr(5) + " 0" : line);
            read.routers = std::max({read.routers, link.from + 1, core ? 0 : link.to + 1});
            if (core) {
                read.cores.push_back(link.from);
            } else {
                read.links.push_back(link);
            }
        } catch (const std::invalid_argument &wrong) {
            throw std::invalid_argument(file + ":" + std::to_string(number) + ": " + wrong.what());
        }
    }
    return read;
}

wiring join_graph(const parameters &machine) {
    const graph_file read = read_graph(machine.graph);
    wiring joined{read.routers, machine};
    parameters changes = machine;
    changes.links = read.links;
    changes.broken_routers.clear();
    for (const link_change &each : read.links) {
        joined.join(each.from, each.to);
        joined.join(each.to, each.from);
    }
    joined.change(changes);
    const int cores =
        static_cast<int>(read.cores.empty() ? static_cast<std::size_t>(read.routers) : read.cores.size());
    if (cores != machine.tiles()) {
        throw std::invalid_argument(machine.graph + " has " + std::to_string(cores) +
                                    " cores, and width x height x " + "depth are " +
                                    std::to_string(machine.tiles()) + " tiles");
    }
    for (int core = 0; core < cores; ++core) {
        joined.attach(read.cores.empty() ? core : read.cores[static_cast<std::size_t>(core)]);
    }
    return joined;
}

} // namespace

fat_tree::fat_tree(const parameters &machine) : arity{static_cast<int>(machine.tree_arity)} {
    int tiles = arity;
    for (; tiles < machine.tiles(); tiles *= arity) {
        ++levels;
        width *= arity;
    }
    if (tiles != machine.tiles()) {
        throw std::invalid_argument("a fat tree with tree_arity = " + std::to_string(arity) +
                                    " has a power of it as the number of tiles, for example " +
                                    std::to_string(tiles) + ", not " + std::to_string(machine.tiles()));
    }
}

int fat_tree::digit(int number, int which) const noexcept {
    for (int i = 0; i < which; ++i) {
        number /= arity;
    }
    return number % arity;
}

bool fat_tree::above(int router, int core) const noexcept {
    int mine = place(router);
    int its = core / arity;
    for (int i = 0; i < level(router); ++i) {
        mine /= arity;
        its /= arity;
    }
    return mine == its;
}

dragonfly::dragonfly(const parameters &machine)
    : cores{static_cast<int>(machine.router_cores)}, routers{static_cast<int>(machine.group_routers)},
      links{static_cast<int>(machine.global_links)}, groups{machine.tiles() / (cores * routers)} {
    if (groups * cores * routers != machine.tiles() || groups > routers * links + 1) {
        throw std::invalid_argument("a dragonfly with router_cores = " + std::to_string(cores) +
                                    ", group_routers = " + std::to_string(routers) +
                                    " and global_links = " + std::to_string(links) + " has a multiple of " +
                                    std::to_string(cores * routers) + " tiles, at most " +
                                    std::to_string(cores * routers * (routers * links + 1)) + ", not " +
                                    std::to_string(machine.tiles()));
    }
}

dragonfly::gate dragonfly::towards(int group, int other) const noexcept {
    const int port = (other - group - 1 + groups) % groups;
    return {group * routers + port / links, routers - 1 + port % links};
}

std::string name_of_topology(const parameters &machine) {
    constexpr const char *names[] = {"mesh", "torus", "ring", "fat tree", "dragonfly", "graph"};
    return names[machine.topology];
}

wiring make_wiring(const parameters &machine) {
    const auto joined_by = [&] {
        switch (machine.joined()) {
        case topology::fat_tree:
            return join_tree(machine);
        case topology::dragonfly:
            return join_dragonfly(machine);
        case topology::graph:
            return join_graph(machine);
        case topology::mesh:
        case topology::torus:
        case topology::ring:
            break;
        }
        return join_grid(machine);
    };
    wiring joined = joined_by();
    joined.change(machine);
    joined.check_connected();
    return joined;
}

} // namespace lisle::tile
