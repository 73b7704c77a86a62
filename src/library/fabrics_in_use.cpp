// SPDX-License-Identifier: Apache-2.0
#include "library/fabrics_in_use.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "fabric/local/local_fabric.hpp"
#include "fabric/tile/tile_fabric.hpp"
#include "library/network.hpp"
#include "mpi.h"
#include "tile/heat_map.hpp"
#include "world/job.hpp"

namespace lisle {

using fabric::local::node_segment;

namespace {

std::unique_ptr<fabric::fabric> make_local_fabric(node_segment &segment, bootstrap &start) {
    return std::make_unique<fabric::local::local_fabric>(segment, start, reads_of_other_processes());
}

constexpr const char *fabric_variable = "LISLE_FABRIC"; ///< of the program, as lislerun --fabric
constexpr std::string_view tile_prefix = "tile:";

/// At the end of the process, which destroys no fabric.
void summarize(const fabric::tile_fabric &tiles) {
    std::fputs(tiles.summary().c_str(), stderr);
    if (const std::string directory{environment_text("LISLE_TILE_TRACE")}; !directory.empty()) {
        const std::string file = directory + "/links.svg";
        std::error_code failure;
        std::filesystem::create_directories(directory, failure);
        errno = 0;
        std::ofstream to{file};
        tile::write_heat_map(tiles.model(), "Use of tiles and links", to);
        if (to.flush()) {
            std::fprintf(stderr, "tiles: picture: %s\n", file.c_str());
        } else {
            std::fprintf(stderr, "tiles: cannot write %s (--trace): %s\n", file.c_str(),
                         failure ? failure.message().c_str() : std::strerror(errno));
        }
    }
}

std::unique_ptr<fabric::fabric> make_tile_fabric(node_segment &segment, bootstrap &start) {
    const locality &places = start.places();
    const bool one_thread = places.ranks() == 1 || places.worker_count(0) == 1;
    if (places.processes() != 1 || !one_thread) {
        fail(MPI_ERR_OTHER, "on modelled tiles, ranks are fibers of one process and one worker thread: "
                            "lislerun --fabric tile:WxH sees to that");
    }
    const fabric::tile_words given{
        .mesh = std::string{environment_text(fabric_variable)}.substr(tile_prefix.size()),
        .map = std::string{environment_text("LISLE_TILE_MAP")},
        .machine = std::string{environment_text("LISLE_TILE_MACHINE")},
        .packets = std::string{environment_text("LISLE_TILE_PACKETS")},
        .compute = std::string{environment_text("LISLE_TILE_COMPUTE")}};
    auto made = std::make_unique<fabric::tile_fabric>(
        make_tile_layout(given, places.ranks()), segment.bells(0, places.ranks()),
        [](int rank, const std::string &sentence) {
            std::fprintf(stderr, "lisle: rank %d: %s\n", rank, sentence.c_str());
            abort_job(EXIT_FAILURE);
        });
    static const fabric::tile_fabric *summarized = nullptr;
    summarized = made.get();
    std::atexit([] { summarize(*summarized); });
    return made;
}

} // namespace

fabric::local::read_thresholds reads_of_other_processes() {
    if (value_of(setting::cross_memory) == 0) {
        return {};
    }
    if (const std::int64_t set = value_of(setting::cross_memory_minimum); set >= 0) {
        return {.least = static_cast<std::size_t>(set)};
    }
    // Between the two it depends on where the cores lie, measured with bench/.
    return {.least = std::size_t{64} << 10, .surely = std::size_t{512} << 10};
}

std::vector<fabric_maker> fabrics_in_use(int nodes) {
    const std::string chosen{environment_text(fabric_variable)};
    if (chosen.starts_with(tile_prefix)) {
        return {make_tile_fabric};
    }
    if (!chosen.empty() && chosen != "local") {
        fail(MPI_ERR_OTHER, fabric_variable, "=", chosen, " names no fabric: there are local and tile:WxH");
    }
    std::vector<fabric_maker> makers{make_local_fabric};
    if (nodes > 1) {
        makers.emplace_back([](node_segment &segment, bootstrap &start) {
            const wait_table waits{segment.waits(), segment.bells(0, segment.ranks())};
            const int self = start.self().index;
            const int first = start.places().index_on_node(start.places().first_rank(self));
            return make_network_fabric(start, waits.traffic_of(first));
        });
    }
    return makers;
}

} // namespace lisle
