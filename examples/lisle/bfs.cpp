// SPDX-License-Identifier: Apache-2.0
// Breadth-first search in a random graph whose vertices are dealt out to the ranks. In each level a rank
// writes to the ranks that own neighbours of its new vertices, and to no other: nobody knows who will write
// to whom. What it prints is the same for any number of ranks. Use: bfs [vertices]
#include <lisle/lisle.hpp>
#include <lisle/sparse_exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <vector>

namespace {

using vertex = std::uint64_t;

std::uint64_t mixed(std::uint64_t z) {
    z = (z + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// The part of a graph with three edges to two vertices: vertex v is the rank's v % ranks, its place there v
/// / ranks.
class graph_part {
  public:
    graph_part(vertex vertices, int rank, int ranks)
        : ranks_{static_cast<vertex>(ranks)}, neighbours_(vertices / ranks_ + 1),
          levels_(vertices / ranks_ + 1, unseen) {
        for (vertex edge = 0; edge < vertices * 3 / 2; ++edge) {
            const vertex a = mixed(2 * edge) % vertices;
            const vertex b = mixed(2 * edge + 1) % vertices;
            if (owner(a) == rank)
                neighbours_[a / ranks_].push_back(b);
            if (owner(b) == rank)
                neighbours_[b / ranks_].push_back(a);
        }
    }
    [[nodiscard]] int owner(vertex v) const { return static_cast<int>(v % ranks_); }
    [[nodiscard]] const std::vector<vertex> &neighbours(vertex v) const { return neighbours_[v / ranks_]; }
    /// True if the vertex had no level.
    bool reach(vertex v, int level) {
        int &own = levels_[v / ranks_];
        if (own != unseen)
            return false;
        own = level;
        return true;
    }

  private:
    static constexpr int unseen = -1;
    vertex ranks_;
    std::vector<std::vector<vertex>> neighbours_;
    std::vector<int> levels_;
};

/// The neighbours of this rank's newest vertices, in a message to each rank that owns some.
std::vector<lisle::addressed<std::vector<vertex>>> letters(const graph_part &graph,
                                                           const std::vector<vertex> &newest) {
    std::map<int, std::vector<vertex>> by_owner;
    for (const vertex v : newest)
        for (const vertex neighbour : graph.neighbours(v))
            by_owner[graph.owner(neighbour)].push_back(neighbour);
    std::vector<lisle::addressed<std::vector<vertex>>> all;
    for (auto &[owner, vertices] : by_owner)
        all.push_back({owner, std::move(vertices)});
    return all;
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const vertex vertices = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
    graph_part graph{vertices, world.rank(), world.size()};

    std::vector<vertex> newest;
    if (graph.owner(0) == world.rank() && graph.reach(0, 0))
        newest.push_back(0);
    std::uint64_t reached = 0;
    std::uint64_t sum = 0; // of each vertex times its level
    int level = 0;
    while (const std::uint64_t found = world.allreduce(std::uint64_t{newest.size()}, std::plus<>{})) {
        reached += found;
        std::vector<vertex> next;
        ++level;
        for (const auto &[from, told] : lisle::sparse_exchange(world, letters(graph, newest)))
            for (const vertex v : told)
                if (graph.reach(v, level)) {
                    next.push_back(v);
                    sum += v * static_cast<std::uint64_t>(level);
                }
        newest = std::move(next);
    }
    sum = world.reduce(sum, std::plus<>{});
    if (world.rank() == 0)
        std::cout << reached << " of " << vertices << " vertices in " << level << " levels, checksum "
                  << std::hex << sum << std::endl;
}
