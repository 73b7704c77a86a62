// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/mesh_tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace lisle::tile::rmpi {

namespace {

/// Links `rank` to its neighbours in a chain that spreads from place `start` of `order` in both directions.
void link_in_chain(const std::vector<int> &order, std::size_t start, std::size_t place, tree_place &linked) {
    if (place < start) {
        linked.parent = order[place + 1];
    } else if (place > start) {
        linked.parent = order[place - 1];
    }
    if (place <= start && place > 0) {
        linked.children.push_back(order[place - 1]);
    }
    if (place >= start && place + 1 < order.size()) {
        linked.children.push_back(order[place + 1]);
    }
}

std::size_t place_of(const std::vector<int> &order, int rank) {
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), rank) - order.begin());
}

} // namespace

tree_place place_on_path(const mesh_shape &shape, const std::vector<int> &tiles, int root, int rank) {
    std::vector<int> order(tiles.size());
    std::iota(order.begin(), order.end(), 0);
    const auto along_path = [&](int r) {
        const int tile = tiles[static_cast<std::size_t>(r)];
        const int row = shape.row(tile);
        const int column = shape.column(tile);
        return row * shape.width + (row % 2 == 0 ? column : shape.width - 1 - column);
    };
    std::sort(order.begin(), order.end(), [&](int a, int b) { return along_path(a) < along_path(b); });
    tree_place linked;
    link_in_chain(order, place_of(order, root), place_of(order, rank), linked);
    return linked;
}

tree_place place_on_cross(const mesh_shape &shape, const std::vector<int> &tiles, int root, int rank) {
    const auto tile_of = [&](int r) { return tiles[static_cast<std::size_t>(r)]; };
    const int root_column = shape.column(tile_of(root));
    const auto row_of = [&](int r) { return static_cast<std::size_t>(shape.row(tile_of(r))); };
    const auto away = [&](int r) { return std::abs(shape.column(tile_of(r)) - root_column); };
    // Each row's head is its rank nearest to the root's column.
    std::vector<int> head_of_row(static_cast<std::size_t>(shape.height), -1);
    std::vector<int> own_row;
    for (int r = 0; r < static_cast<int>(tiles.size()); ++r) {
        int &head = head_of_row[row_of(r)];
        if (head == -1 || away(r) < away(head)) {
            head = r;
        }
        if (row_of(r) == row_of(rank)) {
            own_row.push_back(r);
        }
    }
    std::sort(own_row.begin(), own_row.end(), [&](int a, int b) { return tile_of(a) < tile_of(b); });
    const int head = head_of_row[row_of(rank)];
    tree_place linked;
    if (rank == head) {
        std::vector<int> heads = head_of_row;
        std::erase(heads, -1);
        link_in_chain(heads, place_of(heads, root), place_of(heads, rank), linked);
    }
    tree_place across;
    link_in_chain(own_row, place_of(own_row, head), place_of(own_row, rank), across);
    linked.parent = rank == head ? linked.parent : across.parent;
    linked.children.insert(linked.children.end(), across.children.begin(), across.children.end());
    return linked;
}

} // namespace lisle::tile::rmpi
