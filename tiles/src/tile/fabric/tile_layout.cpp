// SPDX-License-Identifier: Apache-2.0
// Makes a machine and the tiles of its ranks of the user's options.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/error.hpp"
#include "mpi.h"
#include "tile/fabric/tile_fabric.hpp"
#include "tile/network/network.hpp"
#include "tile/network/routing.hpp"
#include "tile/network/topologies.hpp"
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

/// One of the machine's networks can be built, and each rank's router works.
void check_one_network(const tile_layout &layout, int which) {
    const tile::parameters alone = layout.machine.network_alone(which);
    const tile::wiring joined = make_wiring(alone);
    int lanes = static_cast<int>(alone.virtual_channels);
    static_cast<void>(make_routing(alone, joined, lanes));
    for (std::size_t rank = 0; rank < layout.tiles.size(); ++rank) {
        const int router = joined.router_of(layout.tiles[rank]);
        if (!joined.works(router)) {
            fail(MPI_ERR_ARG, "rank ", rank, " is on tile ", layout.tiles[rank], ", whose router ", router,
                 " is broken: --map FILE puts ranks elsewhere");
        }
    }
}

void check_network(const tile_layout &layout) {
    const int networks = layout.machine.networks();
    if (networks > 1 && layout.machine.flows()) {
        fail(MPI_ERR_ARG,
             "with grain = flow a machine has one network: \"network = ...\" is for grain = cycle");
    }
    try {
        check_networks(layout.machine);
        if (is_thesis_mesh(layout.machine)) { // it always can be built
            return;
        }
        for (int which = 0; which < networks; ++which) {
            check_one_network(layout, which);
        }
    } catch (const std::invalid_argument &wrong) {
        fail(MPI_ERR_ARG, wrong.what());
    }
}

/// As flows, hosts have several ranks, in order.
void place_on_hosts(tile_layout &layout, const tile_words &given, int ranks) {
    const auto of_host = static_cast<int>(layout.machine.host_ranks);
    const int places = layout.machine.tiles() * of_host;
    if (ranks > places) {
        fail(MPI_ERR_ARG, ranks, " ranks do not fit hosts of ", given.mesh, " with host_ranks = ", of_host,
             ", which have places for ", places);
    }
    if (layout.packets != mesh_packets::lisle || (!given.map.empty() && given.map != "row")) {
        fail(MPI_ERR_ARG,
             "with grain = flow there are no packets of rMPI, and ranks are on hosts in rows: --packets ",
             given.packets, " and --map ", given.map, " are for grain = cycle");
    }
    for (int rank = 0; rank < ranks; ++rank) {
        layout.tiles.push_back(rank / of_host);
    }
    check_network(layout);
}

/// The command line says how large a machine is, and a file may say it as well.
void check_agreement(const tile::parameters &read, const std::set<std::string> &stated, std::int64_t width,
                     std::int64_t height, const tile_words &given) {
    const auto check = [&](const char *name, std::int64_t in_file, std::int64_t on_line) {
        if (stated.contains(name) && in_file != on_line) {
            fail(MPI_ERR_ARG, given.machine, " says ", name, " = ", in_file, ", and tile:", given.mesh,
                 " says ", on_line);
        }
    };
    check("width", read.width, width);
    check("height", read.height, height);
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

mesh_packets packets_from(const std::string &name) {
    constexpr const char *names[] = {"lisle", "v1", "v2", "v3", "own"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        if (name == names[i]) {
            return static_cast<mesh_packets>(i);
        }
    }
    if (!name.empty()) {
        fail(MPI_ERR_ARG, "there are no packets called \"", name,
             "\" on tiles: lisle, v1, v2, v3 and own (of the machine's extension) are there");
    }
    return mesh_packets::lisle;
}

host_meter::kind computing_from(const std::string &words) {
    constexpr std::int64_t most = 1'000'000;
    const auto colon = std::min(words.find(':'), words.size());
    const std::string_view what = std::string_view{words}.substr(0, colon);
    host_meter::kind given{what == "host"           ? host_meter::unit::time
                           : what == "instructions" ? host_meter::unit::instructions
                                                    : host_meter::unit::none};
    if (colon != words.size()) {
        const char *const end = words.data() + words.size();
        const auto read = std::from_chars(words.data() + colon + 1, end, given.percent);
        given.percent = read.ec == std::errc{} && read.ptr == end ? given.percent : 0;
    }
    const bool declared = words.empty() || words == "declared";
    if (!declared && (given.of == host_meter::unit::none || given.percent < 1 || given.percent > most)) {
        fail(MPI_ERR_ARG, "\"", words,
             "\" does not say how computing takes time on tiles: declared, host, instructions, "
             "host:PERCENT or instructions:PERCENT (1 to ",
             most, ") do");
    }
    if (given.of == host_meter::unit::instructions && !host_meter::counts_instructions()) {
        fail(MPI_ERR_ARG, "this machine has no counter of instructions that a program may use "
                          "(perf_event_open): computing can be declared, or take the host's time (host)");
    }
    return given;
}

} // namespace

tile_layout make_tile_layout(const tile_words &given, int ranks) {
    tile_layout layout;
    layout.packets = packets_from(given.packets);
    layout.computing = computing_from(given.compute);
    const std::string &mesh = given.mesh;
    const std::string &map = given.map;
    std::int64_t width = 0;
    std::int64_t height = 0;
    if (!read_size(mesh, width, height)) {
        fail(MPI_ERR_ARG, "\"", mesh, "\" is not the size of a mesh, as 4x4 is");
    }
    try {
        if (!given.machine.empty()) {
            std::ifstream from{given.machine};
            if (!from) {
                fail(MPI_ERR_ARG, "the parameters of the tiles, ", given.machine, ", cannot be read");
            }
            const std::set<std::string> stated = read_parameters(layout.machine, from, given.machine);
            check_agreement(layout.machine, stated, width, height, given);
        }
        set_parameter(layout.machine, "width", width);
        set_parameter(layout.machine, "height", height);
        tile::check_memory(layout.machine);
        if (layout.packets == mesh_packets::own) {
            static_cast<void>(mesh_codec{tile::load_extension(layout.machine.extension)}); // it can be made
        }
    } catch (const std::invalid_argument &wrong) {
        fail(MPI_ERR_ARG, wrong.what());
    }
    const tile::mesh_shape shape = layout.machine.shape();
    if (layout.machine.flows()) {
        place_on_hosts(layout, given, ranks);
        return layout;
    }
    if (ranks > shape.tiles()) {
        fail(MPI_ERR_ARG, ranks, " ranks do not fit tiles of ", mesh, ", which are ", shape.tiles());
    }
    if (map.empty() || map == "row") {
        layout.tiles = tile::rmpi::map_in_rows(shape, ranks);
    } else if (map == "compact") {
        layout.tiles = tile::rmpi::map_compactly(shape, ranks);
    } else {
        layout.tiles = read_map(map, ranks, shape.tiles());
    }
    check_network(layout);
    return layout;
}

} // namespace lisle::fabric
