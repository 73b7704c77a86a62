// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/job.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

#include "tile/rmpi/version1.hpp"
#include "tile/rmpi/version2.hpp"
#include "tile/rmpi/version3.hpp"

namespace lisle::tile::rmpi {

namespace {

std::unique_ptr<endpoint> make_endpoint(version with, core &here, const rank_map &tiles, int rank) {
    switch (with) {
    case version::v1:
        return std::make_unique<version1>(here, tiles, rank);
    case version::v2:
        return std::make_unique<version2>(here, tiles, rank);
    case version::v3:
        break;
    }
    return std::make_unique<version3>(here, tiles, rank);
}

/// By tile: its rank, or -1.
std::vector<int> ranks_of_tiles(const rank_map &tiles, int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count), -1);
    for (std::size_t rank = 0; rank < tiles.size(); ++rank) {
        const int tile = tiles[rank];
        if (tile < 0 || tile >= count) {
            throw std::invalid_argument("rank " + std::to_string(rank) + " is mapped to tile " +
                                        std::to_string(tile) + ", the mesh has " + std::to_string(count));
        }
        int &place = ranks[static_cast<std::size_t>(tile)];
        if (place != -1) {
            throw std::invalid_argument("ranks " + std::to_string(place) + " and " + std::to_string(rank) +
                                        " are both mapped to tile " + std::to_string(tile));
        }
        place = static_cast<int>(rank);
    }
    return ranks;
}

} // namespace

rank_map map_in_rows(const mesh_shape &shape, int count) {
    if (count < 1 || count > shape.tiles()) {
        throw std::invalid_argument(std::to_string(count) + " ranks do not fit " +
                                    std::to_string(shape.tiles()) + " tiles");
    }
    rank_map tiles(static_cast<std::size_t>(count));
    std::iota(tiles.begin(), tiles.end(), 0);
    return tiles;
}

rank_map map_compactly(const mesh_shape &shape, int count) {
    static_cast<void>(map_in_rows(shape, count)); // checks the count
    int columns = 1;
    while (columns < shape.width &&
           (columns * columns < count || (count + columns - 1) / columns > shape.height)) {
        ++columns;
    }
    rank_map tiles;
    for (int rank = 0; rank < count; ++rank) {
        tiles.push_back(shape.at(rank % columns, rank / columns));
    }
    return tiles;
}

std::optional<standstill> run_ranks(tile_array &on, const rank_map &tiles, version with,
                                    const rank_program &run) {
    const std::vector<int> ranks = ranks_of_tiles(tiles, on.model().shape().tiles());
    return on.run([&](core &here) {
        const int rank = ranks[static_cast<std::size_t>(here.tile())];
        if (rank == -1) {
            return;
        }
        const std::unique_ptr<endpoint> self = make_endpoint(with, here, tiles, rank);
        run(*self);
    });
}

stream_port &streams_of(endpoint &of) {
    auto *const port = dynamic_cast<stream_port *>(&of);
    if (port == nullptr) {
        throw std::invalid_argument("only the third version of rMPI has streams");
    }
    return *port;
}

} // namespace lisle::tile::rmpi
