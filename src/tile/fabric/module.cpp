// SPDX-License-Identifier: Apache-2.0
// The tiles as a fabric that a job loads when it asks for it: what the library finds in this object.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "library/fabric_module.hpp"
#include "mpi.h"
#include "tile/fabric/tile_fabric.hpp"
#include "tile/heat_map.hpp"

namespace lisle::fabric {

namespace {

std::string text_of(const char *variable) {
    return std::string{environment_text(variable)};
}

void draw(const tile::machine &model, const std::string &directory) {
    const std::string file = directory + "/links.svg";
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    errno = 0;
    std::ofstream to{file};
    to << tile::draw_heat_map(model, "Use of tiles and links");
    if (to.flush()) {
        std::fprintf(stderr, "tiles: picture: %s\n", file.c_str());
    } else {
        std::fprintf(stderr, "tiles: cannot write %s (--trace): %s\n", file.c_str(),
                     failure ? failure.message().c_str() : std::strerror(errno));
    }
}

/// At the end of the process, which destroys no fabric.
void summarize(const tile_fabric &tiles) {
    std::fputs(tiles.summary().c_str(), stderr);
    if (const std::string directory = text_of("LISLE_TILE_TRACE"); !directory.empty()) {
        draw(tiles.model(), directory);
    }
}

std::unique_ptr<fabric> make(const fabric_request &request) {
    if (!request.one_worker) {
        fail(MPI_ERR_OTHER, "on modelled tiles, ranks are fibers of one process and one worker thread: "
                            "lislerun --fabric tile:WxH sees to that");
    }
    const tile_words given{.mesh = request.words,
                           .map = text_of("LISLE_TILE_MAP"),
                           .machine = text_of("LISLE_TILE_MACHINE"),
                           .packets = text_of("LISLE_TILE_PACKETS"),
                           .compute = text_of("LISLE_TILE_COMPUTE")};
    auto made = std::make_unique<tile_fabric>(make_tile_layout(given, request.ranks), request);
    static const tile_fabric *summarized = nullptr;
    summarized = made.get();
    std::atexit([] { summarize(*summarized); });
    return made;
}

} // namespace

} // namespace lisle::fabric

extern "C" [[gnu::visibility("default")]] const lisle::fabric_module lisle_fabric_module{
    .build = LISLE_MODULE_BUILD, .make = lisle::fabric::make};
