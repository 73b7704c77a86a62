// SPDX-License-Identifier: Apache-2.0
// The summary at the end of a run on tiles.
#include <algorithm>
#include <array>
#include <cstdio>

#include "tile/fabric/tile_fabric.hpp"

namespace lisle::fabric {

namespace {

template <class... Values> std::string line(const char *format, Values... values) {
    char text[200];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

} // namespace

std::string tile_fabric::summary() const {
    const tile::machine &model = carrier_.model();
    const tile::mesh_shape &shape = model.shape();
    const double cycles = static_cast<double>(std::max<tile::cycle>(1, model.now()));
    std::array<double, tile::phases> spent{};
    std::int64_t packets = 0;
    std::int64_t words = 0;
    std::int64_t interrupts = 0;
    int input = 0;
    std::int64_t busiest_words = 0;
    int busiest_tile = 0;
    auto busiest_exit = tile::side::east;
    for (const int tile : carrier_.tiles()) {
        const tile::core_counts &counts = model.counts(tile);
        for (std::size_t i = 0; i < tile::phases; ++i) {
            spent[i] += static_cast<double>(counts.cycles[i]) / cycles / ranks();
        }
        interrupts += counts.interrupts;
    }
    for (int tile = 0; tile < shape.tiles(); ++tile) {
        const tile::tile_traffic &traffic = model.network().traffic(tile);
        packets += traffic.packets_sent;
        input = std::max(input, model.network().link_high_water(tile));
        for (const tile::side exit : tile::all_sides) {
            const std::int64_t on_link = exit == tile::side::core ? 0 : traffic.words_out[tile::index(exit)];
            words += on_link;
            if (on_link > busiest_words) {
                busiest_words = on_link;
                busiest_tile = tile;
                busiest_exit = exit;
            }
        }
    }
    std::string text =
        line("tiles: %d ranks on %d x %d tiles, %lld cycles, %.6f s at %lld MHz, %s packets\n", ranks(),
             shape.width, shape.height, static_cast<long long>(model.now()),
             cycles * 1e-6 / static_cast<double>(machine_.clock_mhz),
             static_cast<long long>(machine_.clock_mhz), std::string(carrier_.codec().format().name).c_str());
    // Speed-up: the time that one tile would take for the computing of all ranks, over the time of the run.
    const double speed_up = spent[static_cast<std::size_t>(tile::phase::compute)] * ranks();
    text += speed_up > 0
                ? line("tiles: speed-up %.2f over one tile without messages\n", speed_up)
                : "tiles: no speed-up: computing took no time (MPIX_Tile_compute or --compute host)\n";
    text += "tiles: share of the ranks' time:";
    for (std::size_t i = 0; i < tile::phases; ++i) {
        text += line(" %s %.1f%%", name_of(static_cast<tile::phase>(i)), 100 * spent[i]);
    }
    text += line("\ntiles: %lld packets, %lld words over links, %lld interrupts, at most %d words in a "
                 "router's buffer\n",
                 static_cast<long long>(packets), static_cast<long long>(words),
                 static_cast<long long>(interrupts), input);
    if (carrier_.codec().writes_in_place()) {
        text += line(
            "tiles: %lld messages with data were copied when they were received, %lld written in place\n",
            static_cast<long long>(copies_), static_cast<long long>(written_in_place_));
    }
    if (busiest_words != 0) {
        text += line("tiles: busiest link %d -> %d: %lld words, in %.1f%% of the cycles\n", busiest_tile,
                     shape.neighbour(busiest_tile, busiest_exit), static_cast<long long>(busiest_words),
                     100.0 * static_cast<double>(busiest_words) / cycles);
    }
    return text;
}

} // namespace lisle::fabric
