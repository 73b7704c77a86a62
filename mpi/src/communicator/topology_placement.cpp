// SPDX-License-Identifier: Apache-2.0
// Several ways to cut a topology into pieces as large as the homes are, of which the one with the least
// distant traffic is taken: tiles of a grid (for processes within tiles for nodes), halving a grid again and
// again, growing a piece of a graph from a seed. Exchanges of two places then improve what can be improved.
#include "communicator/topology_placement.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace lisle {

std::vector<traffic_link> links_of(const cartesian &grid) {
    std::vector<traffic_link> links;
    for (int rank = 0; rank < grid.size(); ++rank) {
        for (int dimension = 0; dimension < grid.dimensions(); ++dimension) {
            const int next = grid.neighbour(rank, dimension, 1);
            if (next >= 0 && next != rank) {
                links.push_back({rank, next, 1});
            }
        }
    }
    return links;
}

std::vector<traffic_link> links_of(const general_graph &graph) {
    std::vector<traffic_link> links;
    for (int node = 0; node < graph.nodes(); ++node) {
        for (const int next : graph.neighbours(node)) {
            if (next != node) {
                links.push_back({node, next, 1});
            }
        }
    }
    return links;
}

std::int64_t distant_traffic(std::span<const traffic_link> links, std::span<const dwelling> home,
                             std::span<const int> rank_at) {
    const auto home_of_place = [&](int place) {
        return home[static_cast<std::size_t>(rank_at[static_cast<std::size_t>(place)])];
    };
    std::int64_t total = 0;
    for (const traffic_link &each : links) {
        total += distance(home_of_place(each.from), home_of_place(each.to)) * each.weight;
    }
    return total;
}

namespace {

using order = std::vector<int>;

/// The ranks of each home: homes of one node after each other, otherwise in the order of their first rank.
std::vector<order> households(std::span<const dwelling> home) {
    std::vector<order> found;
    std::map<std::pair<int, int>, std::size_t> known;
    std::map<int, std::size_t> first_of_node; // the first home of each node
    for (std::size_t rank = 0; rank < home.size(); ++rank) {
        const auto [place, is_new] = known.try_emplace({home[rank].process, home[rank].node}, found.size());
        if (is_new) {
            first_of_node.try_emplace(home[rank].node, found.size());
            found.emplace_back();
        }
        found[place->second].push_back(static_cast<int>(rank));
    }
    const auto node_of = [&](const order &members) {
        return first_of_node[home[static_cast<std::size_t>(members.front())].node];
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const order &a, const order &b) { return node_of(a) < node_of(b); });
    return found;
}

/// How many ranks each node has, nodes in the order of the homes.
std::vector<std::size_t> node_sizes(const std::vector<order> &homes, std::span<const dwelling> home) {
    std::vector<std::size_t> sizes;
    int latest = 0;
    for (const order &members : homes) {
        const int node = home[static_cast<std::size_t>(members.front())].node;
        if (sizes.empty() || node != latest) {
            sizes.push_back(0);
        }
        latest = node;
        sizes.back() += members.size();
    }
    return sizes;
}

order unchanged(std::size_t places) {
    order same(places);
    std::iota(same.begin(), same.end(), 0);
    return same;
}

/// Gives the places, in this order, to the households one after the other.
order settle(const order &places, const std::vector<order> &homes) {
    order rank_at(places.size());
    std::size_t next = 0;
    for (const order &members : homes) {
        for (const int rank : members) {
            rank_at[static_cast<std::size_t>(places[next++])] = rank;
        }
    }
    return rank_at;
}

/// A box of a grid: its lowest corner and its size.
struct box {
    std::vector<int> corner;
    std::vector<int> extent;
};

/// The places of a box such that any run of them lies close together: one half, then the other.
void halve(const cartesian &grid, const box &piece, order &places) {
    const auto longest = std::max_element(piece.extent.begin(), piece.extent.end());
    if (longest == piece.extent.end() || *longest == 1) {
        places.push_back(grid.rank_at(piece.corner));
        return;
    }
    const auto cut = static_cast<std::size_t>(longest - piece.extent.begin());
    box low = piece;
    box high = piece;
    low.extent[cut] = (*longest + 1) / 2;
    high.extent[cut] = *longest / 2;
    high.corner[cut] += low.extent[cut];
    halve(grid, low, places);
    halve(grid, high, places);
}

/// The shapes of a tile with this volume that tile a box of this extent, one after the other.
template <class Function> void each_tile(const std::vector<int> &extent, std::size_t volume,
                                         std::vector<int> &tile, const Function &function) {
    const std::size_t dimension = tile.size();
    if (dimension == extent.size()) {
        if (volume == 1) {
            function(tile);
        }
        return;
    }
    for (int length = 1; length <= extent[dimension]; ++length) {
        const auto size = static_cast<std::size_t>(length);
        if (volume % size == 0 && extent[dimension] % length == 0) {
            tile.push_back(length);
            each_tile(extent, volume / size, tile, function);
            tile.pop_back();
        }
    }
}

/// The places of a box tile by tile, those of each tile by smaller tiles, and so on.
void tile_by_tile(const cartesian &grid, const box &piece, std::span<const std::vector<int>> tiles,
                  order &places) {
    const std::vector<int> single(piece.extent.size(), 1);
    const std::vector<int> &tile = tiles.empty() ? single : tiles.front();
    cartesian counts{{}, std::vector<bool>(tile.size())};
    for (std::size_t i = 0; i < tile.size(); ++i) {
        counts.dims.push_back(piece.extent[i] / tile[i]);
    }
    for (int which = 0; which < counts.size(); ++which) {
        box next{counts.coordinates(which), tile};
        for (std::size_t i = 0; i < tile.size(); ++i) {
            next.corner[i] = piece.corner[i] + next.corner[i] * tile[i];
        }
        if (tiles.empty()) {
            places.push_back(grid.rank_at(next.corner));
        } else {
            tile_by_tile(grid, next, tiles.subspan(1), places);
        }
    }
}

/// Each place's links, both ways.
using adjacency = std::vector<std::vector<std::pair<int, std::int64_t>>>;

adjacency both_ways(int places, std::span<const traffic_link> links) {
    adjacency near(static_cast<std::size_t>(places));
    for (const traffic_link &each : links) {
        if (each.from != each.to) {
            near[static_cast<std::size_t>(each.from)].emplace_back(each.to, each.weight);
            near[static_cast<std::size_t>(each.to)].emplace_back(each.from, each.weight);
        }
    }
    return near;
}

/// Places in the order in which pieces grow: each piece from a seed, next the place with most traffic to
/// the piece, of equals the one with the least traffic elsewhere.
order grow(const adjacency &near, const std::vector<order> &homes) {
    const std::size_t count = near.size();
    std::vector<std::int64_t> open(count); // traffic to places that are not settled yet
    for (std::size_t place = 0; place < count; ++place) {
        for (const auto &[other, weight] : near[place]) {
            open[place] += weight;
        }
    }
    std::vector<bool> settled(count);
    order places;
    const auto take = [&](std::size_t place) {
        settled[place] = true;
        places.push_back(static_cast<int>(place));
        for (const auto &[other, weight] : near[place]) {
            open[static_cast<std::size_t>(other)] -= weight;
        }
    };
    for (const order &members : homes) {
        std::vector<std::int64_t> pull(count);
        using candidate = std::pair<std::pair<std::int64_t, std::int64_t>, int>;
        std::priority_queue<candidate> frontier; // may hold outdated entries: compared when taken
        const auto rating = [&](std::size_t place) { return std::pair{pull[place], -open[place]}; };
        for (std::size_t taken = 0; taken < members.size(); ++taken) {
            std::size_t next = count;
            while (!frontier.empty() && next == count) {
                const auto [rated, place] = frontier.top();
                frontier.pop();
                if (const auto which = static_cast<std::size_t>(place);
                    !settled[which] && rated == rating(which)) {
                    next = which;
                }
            }
            if (next == count) { // a new seed: at the rim of what is left
                for (std::size_t place = 0; place < count; ++place) {
                    if (!settled[place] && (next == count || open[place] < open[next])) {
                        next = place;
                    }
                }
            }
            take(next);
            for (const auto &[other, weight] : near[next]) {
                if (const auto which = static_cast<std::size_t>(other); !settled[which]) {
                    pull[which] += weight;
                    frontier.push({rating(which), other});
                }
            }
        }
    }
    return places;
}

/// Exchanges the ranks of two places for as long as that makes distant traffic less. [B. Kernighan, S. Lin:
/// An efficient heuristic procedure for partitioning graphs, 1970, without its look ahead]
void exchange(const adjacency &near, std::span<const dwelling> home, order &rank_at) {
    constexpr std::size_t most_places = 512; // quadratic
    constexpr int most_rounds = 8;
    if (rank_at.size() > most_places) {
        return;
    }
    const auto home_at = [&](std::size_t place) { return home[static_cast<std::size_t>(rank_at[place])]; };
    const auto traffic_from = [&](std::size_t place, const dwelling &where, std::size_t except) {
        std::int64_t total = 0;
        for (const auto &[other, weight] : near[place]) {
            const auto which = static_cast<std::size_t>(other);
            total += which != except ? distance(where, home_at(which)) * weight : 0;
        }
        return total;
    };
    bool improved = true;
    for (int round = 0; improved && round < most_rounds; ++round) {
        improved = false;
        for (std::size_t left = 0; left < rank_at.size(); ++left) {
            for (std::size_t right = left + 1; right < rank_at.size(); ++right) {
                const dwelling left_home = home_at(left);
                const dwelling right_home = home_at(right);
                if (left_home == right_home) {
                    continue;
                }
                const std::int64_t before =
                    traffic_from(left, left_home, right) + traffic_from(right, right_home, left);
                const std::int64_t after =
                    traffic_from(left, right_home, right) + traffic_from(right, left_home, left);
                if (after < before) {
                    std::swap(rank_at[left], rank_at[right]);
                    improved = true;
                }
            }
        }
    }
}

/// Remembers the best of several placements; of equals the first.
class best_placement {
  public:
    best_placement(std::span<const traffic_link> links, std::span<const dwelling> home)
        : links_{links}, home_{home}, best_{unchanged(home.size())}, traffic_{distant_traffic(links, home,
                                                                                              best_)} {}
    void consider(order rank_at) {
        const std::int64_t traffic = distant_traffic(links_, home_, rank_at);
        if (traffic < traffic_) {
            traffic_ = traffic;
            best_ = std::move(rank_at);
        }
    }
    [[nodiscard]] const order &best() const noexcept { return best_; }

  private:
    std::span<const traffic_link> links_;
    std::span<const dwelling> home_;
    order best_;
    std::int64_t traffic_;
};

/// Nothing can be gained where all live together or all equally far apart.
bool hopeless(const std::vector<order> &homes, const std::vector<std::size_t> &nodes, std::size_t places) {
    return homes.size() <= 1 || (homes.size() == places && (nodes.size() == 1 || nodes.size() == places));
}

bool all_equal(const std::vector<std::size_t> &sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [&](std::size_t size) { return size == sizes.front(); });
}

} // namespace

std::vector<int> place_on_graph(int places, std::span<const traffic_link> links,
                                std::span<const dwelling> home) {
    const auto homes = households(home);
    if (hopeless(homes, node_sizes(homes, home), home.size())) {
        return unchanged(home.size());
    }
    const adjacency near = both_ways(places, links);
    best_placement placement{links, home};
    placement.consider(settle(grow(near, homes), homes));
    order improved = placement.best();
    exchange(near, home, improved);
    placement.consider(std::move(improved));
    return placement.best();
}

std::vector<int> place_on_grid(const cartesian &grid, std::span<const dwelling> home) {
    const auto homes = households(home);
    const auto nodes = node_sizes(homes, home);
    if (hopeless(homes, nodes, home.size())) {
        return unchanged(home.size());
    }
    const auto links = links_of(grid);
    best_placement placement{links, home};
    const box whole{std::vector<int>(grid.dims.size()), grid.dims};
    std::vector<std::size_t> sizes;
    std::transform(homes.begin(), homes.end(), std::back_inserter(sizes),
                   [](const order &members) { return members.size(); });
    if (all_equal(sizes) && all_equal(nodes)) {
        std::vector<int> outer;
        each_tile(grid.dims, nodes.front(), outer, [&](const std::vector<int> &of_node) {
            std::vector<int> inner;
            each_tile(of_node, sizes.front(), inner, [&](const std::vector<int> &of_home) {
                const std::vector<int> tiles[] = {of_node, of_home};
                order places;
                tile_by_tile(grid, whole, tiles, places);
                placement.consider(settle(places, homes));
            });
        });
    }
    order halves;
    halve(grid, whole, halves);
    placement.consider(settle(halves, homes));
    order improved = placement.best();
    exchange(both_ways(grid.size(), links), home, improved);
    placement.consider(std::move(improved));
    return placement.best();
}

} // namespace lisle
