// SPDX-License-Identifier: Apache-2.0
// The entry of the module: the tiles as a fabric that the library loads for a job that asks for it.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.hpp"
#include "library/fabric_module.hpp"
#include "mpi.h"
#include "tile/fabric/tile_fabric.hpp"

namespace lisle::fabric {

namespace {

void write_report(const carrier &carried, const std::string &directory) {
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    errno = 0;
    std::string failed = write_files(carried.report(), directory).string();
    const std::string picture = carried.picture();
    const std::string file = directory + "/links.svg";
    if (failed.empty() && !picture.empty()) {
        std::ofstream to{file};
        to << picture;
        failed = to.flush() ? "" : file;
    }
    if (!failed.empty()) {
        std::fprintf(stderr, "tiles: cannot write %s (--trace): %s\n", failed.c_str(),
                     failure ? failure.message().c_str() : std::strerror(errno));
        return;
    }
    if (!picture.empty()) {
        std::fprintf(stderr, "tiles: picture: %s\n", file.c_str());
    }
    std::fprintf(stderr, "tiles: report: %s/report.json, and tables as .csv\n", directory.c_str());
}

/// For the end of the process, when no fabric is destroyed.
struct {
    const tile_fabric *tiles = nullptr;
    std::string report_directory; ///< empty: no report
} summarized;

void summarize() {
    std::fputs(summarized.tiles->summary().c_str(), stderr);
    if (!summarized.report_directory.empty()) {
        write_report(summarized.tiles->carried(), summarized.report_directory);
    }
}

std::unique_ptr<fabric> make(const fabric_request &request) {
    if (!request.one_worker) {
        fail(MPI_ERR_OTHER, "on modelled tiles, ranks are fibers of one process and one worker thread: "
                            "lislerun --fabric tile:WxH sees to that");
    }
    const tile_words given{.mesh = request.words,
                           .map = request.text_of(setting::tile_map),
                           .machine = request.text_of(setting::tile_machine),
                           .packets = request.text_of(setting::tile_packets),
                           .compute = request.text_of(setting::tile_compute)};
    auto made = std::make_unique<tile_fabric>(make_tile_layout(given, request.ranks), request);
    if (!request.text_of(setting::tile_trace).empty()) {
        made->measure();
    }
    summarized = {made.get(), request.text_of(setting::tile_trace)};
    std::atexit(summarize);
    return made;
}

} // namespace

} // namespace lisle::fabric

extern "C" [[gnu::visibility("default")]] const lisle::fabric_module lisle_fabric_module{
    .build = LISLE_MODULE_BUILD, .make = lisle::fabric::make};
