// SPDX-License-Identifier: Apache-2.0
#include "library/process.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "fabric/local/local_fabric.hpp"
#include "fabric/tile/tile_fabric.hpp"
#include "mpi.h"
#include "tile/heat_map.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"
#include "world/foreign_launcher.hpp"
#include "world/launched_bootstrap.hpp"
#include "world/lone_bootstrap.hpp"

namespace lisle {

using fabric::local::node_segment;

namespace {

std::optional<int> number_from(const char *variable) {
    const char *const text = std::getenv(variable);
    if (text == nullptr) {
        return std::nullopt;
    }
    char *end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > 1 << 30) {
        fail(MPI_ERR_OTHER, variable, "=", text,
             " is not a number: was it set by something else than lislerun?");
    }
    return static_cast<int>(value);
}

std::unique_ptr<fabric::fabric> make_local_fabric(node_segment &segment, const bootstrap &start) {
    using fabric::local::local_fabric;
    if (value_of(setting::cross_memory) == 0) {
        return std::make_unique<local_fabric>(segment, start, std::nullopt);
    }
    if (const std::int64_t set = value_of(setting::cross_memory_minimum); set >= 0) {
        return std::make_unique<local_fabric>(segment, start, static_cast<std::size_t>(set));
    }
    // Between the two it depends on where the cores lie, measured with bench/.
    constexpr std::size_t least_read = std::size_t{64} << 10, surely_read = std::size_t{512} << 10;
    return std::make_unique<local_fabric>(segment, start, least_read, surely_read);
}

doorbell_row bells_of(const node_segment &segment, const bootstrap &start) {
    const locality &places = start.places();
    const int process = start.self().index;
    return segment.bells(places.index_on_node(places.first_rank(process)), places.rank_count(process));
}

constexpr const char *fabric_variable = "LISLE_FABRIC"; ///< of the program, as lislerun --fabric
constexpr std::string_view tile_prefix = "tile:";

std::string text_of(const char *variable) {
    const char *const text = std::getenv(variable);
    return text != nullptr ? text : "";
}

/// At the end of the process, which destroys no fabric.
void summarize(const fabric::tile_fabric &tiles) {
    std::fputs(tiles.summary().c_str(), stderr);
    if (const std::string directory = text_of("LISLE_TILE_TRACE"); !directory.empty()) {
        const std::string file = directory + "/links.svg";
        std::ofstream to{file};
        tile::write_heat_map(tiles.model(), "Use of tiles and links", to);
        std::fprintf(stderr, "tiles: %s %s\n", to ? "picture:" : "cannot write", file.c_str());
    }
}

std::unique_ptr<fabric::fabric> make_tile_fabric(node_segment &segment, const bootstrap &start) {
    const locality &places = start.places();
    const bool one_thread = places.ranks() == 1 || places.worker_count(0) == 1;
    if (places.processes() != 1 || !one_thread) {
        fail(MPI_ERR_OTHER, "on modelled tiles, ranks are fibers of one process and one worker thread: "
                            "lislerun --fabric tile:WxH sees to that");
    }
    const std::string mesh = text_of(fabric_variable).substr(tile_prefix.size());
    const auto layout = fabric::make_tile_layout(mesh, text_of("LISLE_TILE_MAP"), text_of("LISLE_TILE_MACHINE"),
                                                 places.ranks());
    auto made = std::make_unique<fabric::tile_fabric>(layout, bells_of(segment, start));
    static const fabric::tile_fabric *summarized = nullptr;
    summarized = made.get();
    std::atexit([] { summarize(*summarized); });
    return made;
}

/// The fabric that is chosen by the variables that lislerun --fabric sets, or the node's own.
const fabric_maker &fabric_in_use() {
    static const fabric_maker local = make_local_fabric;
    static const fabric_maker tiles = make_tile_fabric;
    const char *const chosen = std::getenv(fabric_variable);
    if (chosen == nullptr || std::string_view{chosen} == "local") {
        return local;
    }
    if (!std::string_view{chosen}.starts_with(tile_prefix)) {
        fail(MPI_ERR_OTHER, fabric_variable, "=", chosen, " names no fabric: there are local and tile:WxH");
    }
    return tiles;
}

fabric::routes make_routes(node_segment &segment, const bootstrap &start,
                           std::span<const fabric_maker> makers) {
    std::vector<std::unique_ptr<fabric::fabric>> fabrics;
    for (const fabric_maker &make : makers) {
        fabrics.push_back(make(segment, start));
    }
    const int ranks = start.places().ranks();
    auto found = fabric::routes::find(std::move(fabrics), ranks);
    if (!found) {
        fail(MPI_ERR_OTHER, "no fabric reaches some of the job's ", ranks, " ranks from process ",
             start.self().index);
    }
    return *std::move(found);
}

std::unique_ptr<process> make_launched(int descriptor) {
    auto table = job_table::attach(descriptor);
    const auto index = number_from(process_index_variable);
    if (!index || *index >= table.processes()) {
        fail(MPI_ERR_OTHER, process_index_variable, " does not name one of the ", table.processes(),
             " processes of the job");
    }
    const std::size_t behind = table.end();
    auto segment = node_segment::attach(table.give_descriptor(), behind);
    return std::make_unique<process>(std::make_unique<launched_bootstrap>(std::move(table), *index),
                                     std::move(segment), std::span{&fabric_in_use(), 1});
}

std::unique_ptr<process> make() {
    if (const auto descriptor = number_from(job_descriptor_variable)) {
        return make_launched(*descriptor);
    }
    if (const auto foreign = foreign_launcher()) {
        fail(MPI_ERR_OTHER, *foreign);
    }
    return process::make_inside({.ranks_of_process = {1}});
}

} // namespace

process::process(std::unique_ptr<bootstrap> start, node_segment segment, std::span<const fabric_maker> makers)
    : segment_{std::move(segment)}, bells_{bells_of(segment_, *start)}, job_{std::move(start), bells_},
      routes_{make_routes(segment_, job_.start(), makers)} {
    for (const auto &fabric : routes_.first().fabrics()) {
        if (job_clock *const own = fabric->clock()) {
            job_.live_by(*own);
        }
    }
}

process &process::current() {
    // Never destroyed: threads of a program may still be in the library when it exits.
    static process *const the_process = [] {
        try {
            return make().release();
        } catch (const mpi_error &error) {
            std::fprintf(stderr, "lisle: %s\n", error.what());
            _exit(EXIT_FAILURE);
        }
    }();
    return *the_process;
}

std::unique_ptr<process> process::make_inside(const job_shape &shape) {
    auto start = std::make_unique<lone_bootstrap>(shape);
    return std::make_unique<process>(std::move(start), node_segment::private_to_process(shape),
                                     std::span{&fabric_in_use(), 1});
}

rank &process::enter(int index) {
    if (index < 0 || index >= job_.rank_count()) {
        fail(MPI_ERR_OTHER, "this process has ", job_.rank_count(), " ranks; there is none with index ",
             index);
    }
    auto entering = std::make_unique<rank>(job_, job_.first_rank() + index, job_.bells()[index]);
    auto tracks = std::make_shared<protocol::tracks>(routes_, *entering);
    protocol::engine &first = *tracks->find(0);
    entering->equip(std::move(tracks), first);
    return job_.enter(std::move(entering));
}

namespace detail {

rank &adopt_thread() {
    process &here = process::current();
    job &its_job = here.get_job();
    if (its_job.rank_count() != 1) {
        std::fprintf(
            stderr,
            "lisle: a thread that no rank started called MPI in a process of %d ranks: it cannot be told "
            "whose call this is (run the program with --ranks process)\n",
            its_job.rank_count());
        abort_job(its_job, its_job.first_rank(), EXIT_FAILURE);
    }
    static std::once_flag once;
    std::call_once(once, [&here] { here.enter(0); });
    rank *const only = its_job.find(its_job.first_rank());
    current_rank = only;
    return *only;
}

} // namespace detail

} // namespace lisle
