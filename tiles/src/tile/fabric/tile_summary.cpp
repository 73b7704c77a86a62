// SPDX-License-Identifier: Apache-2.0
// What is said of a run on tiles at its end.
#include <algorithm>
#include <array>
#include <cstdio>

#include "tile/fabric/tile_carrier.hpp"
#include "tile/heat_map.hpp"

namespace lisle::fabric {

namespace {

template <class... Values> std::string line(const char *format, Values... values) {
    char text[200];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

} // namespace

std::string describe_phases(const std::array<double, tile::phases> &shares, int ranks) {
    // Speed-up: the time that one tile would take for the computing of all ranks, over the time of the run.
    const double speed_up = shares[static_cast<std::size_t>(tile::phase::compute)] * ranks;
    std::string text =
        speed_up > 0 ? line("tiles: speed-up %.2f over one tile without messages\n", speed_up)
                     : "tiles: no speed-up: computing took no time (MPIX_Tile_compute or --compute host)\n";
    text += "tiles: share of the ranks' time:";
    for (std::size_t i = 0; i < tile::phases; ++i) {
        text += line(" %s %.1f%%", name_of(static_cast<tile::phase>(i)), 100 * shares[i]);
    }
    return text + "\n";
}

std::string describe_energy(const tile::parameters &machine, const std::array<double, tile::phases> &shares,
                            double cycles, int ranks, std::int64_t words) {
    if (machine.hop_picojoules == 0 && machine.work_picojoules == 0 && machine.idle_picojoules == 0) {
        return {};
    }
    constexpr double pico = 1e-12;
    const double all = cycles * ranks;
    const double idle = shares[static_cast<std::size_t>(tile::phase::waiting)] * all;
    const double of_links = pico * static_cast<double>(machine.hop_picojoules) * static_cast<double>(words);
    const double of_cores = pico * (static_cast<double>(machine.work_picojoules) * (all - idle) +
                                    static_cast<double>(machine.idle_picojoules) * idle);
    return line("tiles: energy %.6g J: links %.6g J, cores %.6g J\n", of_links + of_cores, of_links,
                of_cores);
}

std::string tile_carrier::picture() const {
    return draw_heat_map(array_.model(), "Use of tiles and links");
}

std::string tile_carrier::standstill() const {
    tile::standstill found = explain_standstill(array_.model());
    std::erase_if(found.waits, [](const tile::wait_of_tile &wait) { return !wait.sending; });
    if (found.waits.empty()) {
        return {}; // the mesh is idle: it is the ranks that wait
    }
    constexpr std::size_t most_sentences = 16;
    return "The mesh stands still as well, with " + std::string(codec_.format().name) +
           " packets: " + describe(found, most_sentences);
}

std::string tile_carrier::summary() const {
    const tile::machine &model = array_.model();
    const tile::parameters &built = model.built();
    const tile::mesh_shape &shape = model.shape();
    const double cycles = static_cast<double>(std::max<tile::cycle>(1, model.now()));
    std::array<double, tile::phases> spent{};
    std::int64_t packets = 0;
    std::int64_t words = 0;
    std::int64_t interrupts = 0;
    for (const int tile : tiles_) {
        const tile::core_counts &counts = model.counts(tile);
        for (std::size_t i = 0; i < tile::phases; ++i) {
            spent[i] += static_cast<double>(counts.cycles[i]) / cycles / ranks();
        }
        interrupts += counts.interrupts;
    }
    for (int tile = 0; tile < shape.tiles(); ++tile) {
        packets += model.network().port(tile).packets_sent;
    }
    int queued = 0;
    for (const tile::link_traffic &link : model.network().links()) {
        words += link.words;
        queued = std::max(queued, link.most_queued);
    }
    std::string text =
        line("tiles: %d ranks on %d x %d tiles, %lld cycles, %.6f s at %lld MHz, %s packets\n", ranks(),
             shape.width, shape.height, static_cast<long long>(model.now()),
             cycles * 1e-6 / static_cast<double>(built.clock_mhz), static_cast<long long>(built.clock_mhz),
             std::string(codec_.format().name).c_str());
    if (!is_thesis_mesh(built) || built.contention == 0) {
        text += "tiles: network: " + model.network().described() + "\n";
    }
    text += describe_phases(spent, ranks());
    text += line("tiles: %lld packets, %lld words over links, %lld interrupts, at most %d words in a "
                 "router's buffer\n",
                 static_cast<long long>(packets), static_cast<long long>(words),
                 static_cast<long long>(interrupts), queued);
    text += describe_energy(built, spent, cycles, ranks(), words);
    if (const tile::link_traffic busiest = find_busiest_link(model.network()); busiest.words != 0) {
        const std::string of = built.networks() > 1 ? " of network " + std::to_string(busiest.network) : "";
        text += line("tiles: busiest link %d -> %d%s: %lld words, in %.1f%% of the cycles\n", busiest.from,
                     busiest.to, of.c_str(), static_cast<long long>(busiest.words),
                     100.0 * static_cast<double>(busiest.words) / cycles);
    }
    return text;
}

} // namespace lisle::fabric
