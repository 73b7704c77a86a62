// SPDX-License-Identifier: Apache-2.0
// From what a user writes to a machine and the tiles of its ranks.
#include <charconv>
#include <fstream>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "fabric/tile/tile_fabric.hpp"
#include "mpi.h"
#include "tile/rmpi/job.hpp"

namespace lisle::fabric {

namespace {

bool read_size(const std::string &mesh, std::int64_t &width, std::int64_t &height) {
    const char *const end = mesh.data() + mesh.size();
    const auto across = std::from_chars(mesh.data(), end, width);
    if (across.ec != std::errc{} || across.ptr == end || *across.ptr != 'x') {
        return false;
    }
    const auto along = std::from_chars(across.ptr + 1, end, height);
    return along.ec == std::errc{} && along.ptr == end;
}

std::vector<int> read_map(const std::string &file, int ranks, int count) {
    std::ifstream from{file};
    if (!from) {
        fail(MPI_ERR_ARG, "the map of the tiles, ", file,
             ", cannot be read (a map is row, compact, or a file)");
    }
    std::vector<int> tiles;
    std::set<int> used;
    for (int tile = 0; static_cast<int>(tiles.size()) < ranks && from >> tile;) {
        if (tile < 0 || tile >= count || !used.insert(tile).second) {
            fail(MPI_ERR_ARG, file, " gives rank ", tiles.size(), " tile ", tile,
                 tile >= 0 && tile < count ? ", which another rank has" : ", which the mesh does not have");
        }
        tiles.push_back(tile);
    }
    if (static_cast<int>(tiles.size()) < ranks) {
        fail(MPI_ERR_ARG, file, " has tiles for ", tiles.size(), " ranks, the job has ", ranks);
    }
    return tiles;
}

} // namespace

tile_layout make_tile_layout(const std::string &mesh, const std::string &map, const std::string &machine,
                             int ranks) {
    tile_layout layout;
    try {
        if (!machine.empty()) {
            std::ifstream from{machine};
            if (!from) {
                fail(MPI_ERR_ARG, "the parameters of the tiles, ", machine, ", cannot be read");
            }
            read_parameters(layout.machine, from, machine);
        }
        std::int64_t width = 0;
        std::int64_t height = 0;
        if (!read_size(mesh, width, height)) {
            fail(MPI_ERR_ARG, "\"", mesh, "\" is not the size of a mesh, as 4x4 is");
        }
        set_parameter(layout.machine, "width", width);
        set_parameter(layout.machine, "height", height);
    } catch (const std::invalid_argument &wrong) {
        fail(MPI_ERR_ARG, wrong.what());
    }
    const tile::mesh_shape shape{static_cast<int>(layout.machine.width),
                                 static_cast<int>(layout.machine.height)};
    if (ranks > shape.tiles()) {
        fail(MPI_ERR_ARG, ranks, " ranks do not fit a mesh of ", mesh, ", which has ", shape.tiles(),
             " tiles");
    }
    if (map.empty() || map == "row") {
        layout.tiles = tile::rmpi::map_in_rows(shape, ranks);
    } else if (map == "compact") {
        layout.tiles = tile::rmpi::map_compactly(shape, ranks);
    } else {
        layout.tiles = read_map(map, ranks, shape.tiles());
    }
    return layout;
}

} // namespace lisle::fabric
