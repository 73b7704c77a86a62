// SPDX-License-Identifier: Apache-2.0
// Options about what carries the messages of a job.
#include "launch/options/option.hpp"

#include <cstdio>

namespace lisle::launch {

namespace {

/// A function that hands the option's value to the library under the name of a variable.
template <const char *const *Variable> void hand_down(option_use &use) {
    use.program.environment.variables.push_back({*Variable, std::string{use.value()}});
}

constexpr const char *map_variable = "LISLE_TILE_MAP";
constexpr const char *machine_variable = "LISLE_TILE_MACHINE";
constexpr const char *packets_variable = "LISLE_TILE_PACKETS";
constexpr const char *compute_variable = "LISLE_TILE_COMPUTE";
constexpr const char *trace_variable = "LISLE_TILE_TRACE";

/// On modelled tiles the ranks are fibers of one worker thread.
void use_fabric(option_use &use) {
    const std::string chosen{use.value()};
    use.program.environment.variables.push_back({"LISLE_FABRIC", chosen});
    int width = 0;
    int height = 0;
    if (std::sscanf(chosen.c_str(), "tile:%dx%d", &width, &height) != 2) {
        return; // the library names what there is
    }
    use.program.environment.variables.push_back({"LISLE_TRACKS", "1"});
    use.program.kind = rank_kind::fiber;
    use.program.workers = 1;
    if (!use.program.ranks && width > 0 && height > 0) {
        use.program.ranks = width * height;
    }
}

constexpr option fabric_table[] = {
    {"fabric", "local|tile:WxH", use_fabric,
     "what carries messages: the node's memory, or a modelled processor of W x H tiles, with the program in "
     "virtual "
     "time (ranks are fibers then, one for each tile unless -n says less)"},
    {"map", "row|compact|FILE", hand_down<&map_variable>,
     "on which tiles the ranks run: in rows (the default), on a square, or as a file lists"},
    {"mesh", "FILE", hand_down<&machine_variable>,
     "parameters of the modelled processor (lisle-tiles parameters prints them)"},
    {"packets", "lisle|v1|v2|v3", hand_down<&packets_variable>,
     "how messages are cut into the mesh's packets: Lisle's way, or that of a version of rMPI, which has "
     "standard-mode messages only"},
    {"compute", "declared|host[:PERCENT]|instructions[:PERCENT]", hand_down<&compute_variable>,
     "what computing takes on a tile: what the program declares (MPIX_Tile_compute), so many percent of "
     "this machine's processor time, or a cycle for each instruction of this machine"},
    {"trace", "DIR", hand_down<&trace_variable>, "draw how the tiles and their links were used, in DIR"},
};

} // namespace

std::span<const option> fabric_options() {
    return fabric_table;
}

} // namespace lisle::launch
