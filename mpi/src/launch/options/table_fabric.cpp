// SPDX-License-Identifier: Apache-2.0
// Options about what carries the messages of a job.
#include "launch/options/option.hpp"

#include <cstdio>

#include "base/settings.hpp"

namespace lisle::launch {

namespace {

/// A function that hands the option's value to the library as a setting.
template <setting Which> void hand_down(option_use &use) {
    use.program.environment.variables.push_back({variable_of(Which), std::string{use.value()}});
}

/// On modelled tiles the ranks are fibers of one worker thread.
void use_fabric(option_use &use) {
    const std::string chosen{use.value()};
    use.program.environment.variables.push_back({variable_of(setting::fabric), chosen});
    int width = 0;
    int height = 0;
    if (std::sscanf(chosen.c_str(), "tile:%dx%d", &width, &height) != 2) {
        return; // the library names what there is
    }
    use.program.environment.variables.push_back({variable_of(setting::tracks), "1"});
    use.program.kind = rank_kind::fiber;
    use.program.workers = 1;
    if (width > 0 && height > 0) {
        use.program.tiles = width * height;
    }
}

/// A file of calls, or a folder of pictures of a modelled mesh.
void choose_trace(option_use &use) {
    const std::string where{use.value()};
    if (where.ends_with(".json") || where.ends_with(".paje")) {
        use.job.report.trace = where;
    } else {
        use.program.environment.variables.push_back({variable_of(setting::tile_trace), where});
    }
}

constexpr option fabric_table[] = {
    {"fabric", "local|tile:WxH", use_fabric,
     "what carries messages: the node's memory, or a modelled processor of W x H tiles, with the program in "
     "virtual "
     "time (ranks are fibers then, one for each tile unless -n says less)"},
    {"map", "row|compact|FILE", hand_down<setting::tile_map>,
     "on which tiles the ranks run: in rows (the default), on a square, or as a file lists"},
    {"mesh", "FILE", hand_down<setting::tile_machine>,
     "parameters of the modelled processor (lisle-tiles parameters prints them)"},
    {"packets", "lisle|v1|v2|v3|own", hand_down<setting::tile_packets>,
     "how messages are cut into the mesh's packets: Lisle's way, that of a version of rMPI, which has "
     "standard-mode messages only, or that of the extension which the machine's file names"},
    {"compute", "declared|host[:PERCENT]|instructions[:PERCENT]", hand_down<setting::tile_compute>,
     "what computing takes on a tile: what the program declares (MPIX_Tile_compute), so many percent of "
     "this machine's processor time, or a cycle for each instruction of this machine"},
    {"trace", "FILE.json|FILE.paje|DIR", choose_trace,
     "FILE.json: record the ranks' calls, and write them there as trace events, which Perfetto shows. "
     "FILE.paje: "
     "the same in Paje's format, which ViTE and pj_dump read. DIR: draw how the tiles of a modelled mesh and "
     "their links were used, in DIR"},
    {"record-trace", "FILE", [](option_use &use) { use.job.trace.record = use.value(); },
     "run the program as always, and write to FILE what its ranks call, with how much and with whom, and how "
     "long they compute in between"},
    {"replay-trace", "FILE", [](option_use &use) { use.job.trace.replay = use.value(); },
     "make the calls of a trace again, without the program: on the machine of --fabric and --mesh, in its "
     "time"},
    {"calibrate", "FILE", [](option_use &use) { use.job.calibration = use.value(); },
     "run no program, but measure what messages between the ranks cost (two, unless -n says more; with "
     "--hosts also between nodes), and write it to FILE, for --mesh"},
};

} // namespace

std::span<const option> fabric_options() {
    return fabric_table;
}

} // namespace lisle::launch
