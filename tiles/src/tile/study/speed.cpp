// SPDX-License-Identifier: Apache-2.0
// How fast the simulator is: cycles, packets and hops of words that it gets through in a second of the host's
// processor.
#include <ctime>

#include <fmt/format.h>

#include "tile/study/reports.hpp"

namespace lisle::tile::study {

namespace {

struct measured {
    cycle cycles = 0;
    std::int64_t stepped = 0;
    std::int64_t packets = 0;
    std::int64_t words = 0; ///< times the links they crossed
    double seconds = 0;
};

template <class Run> measured measure_run(const parameters &built, const Run &run) {
    tile_array array{built};
    const std::clock_t begin = std::clock();
    run(array);
    const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    measured result{array.model().now(), array.model().stepped(), 0, 0, took};
    for (int tile = 0; tile < array.model().shape().tiles(); ++tile) {
        const port_traffic traffic = array.model().network().port(tile);
        result.packets += traffic.packets_received;
        result.words += traffic.words_received;
    }
    for (const link_traffic &link : array.model().network().links()) {
        result.words += link.words;
    }
    return result;
}

/// The tiles of the upper half send packets to those of the lower half, as fast as links and ports allow.
void exchange_bare_packets(tile_array &array, int packets) {
    const auto stopped = array.run([&](core &here) {
        std::array<word, 1 + most_payload_words> out;
        std::array<word, most_payload_words> in;
        const int half = here.shape().tiles() / 2;
        const bool sends = here.tile() < half;
        out[0] = make_header(here.shape(), here.tile() + (sends ? half : 0), most_payload_words);
        for (int i = 0; i < packets; ++i) {
            sends ? here.send(out, 1) : here.receive(in, 1, here.tile() - half);
        }
    });
    if (stopped) {
        throw stood_still{describe(*stopped)};
    }
}

void allreduce(tile_array &array, rmpi::algorithm with) {
    constexpr std::size_t words = 256;
    const rmpi::rank_map tiles = rmpi::map_in_rows(array.model().shape(), array.model().shape().tiles());
    const auto stopped = rmpi::run_ranks(array, tiles, rmpi::version::v3, [&](rmpi::endpoint &self) {
        const std::vector<word> mine(words, 1);
        std::vector<word> sum(words);
        rmpi::allreduce(self, with, mine, sum, [](word a, word b) { return a + b; });
    });
    if (stopped) {
        throw stood_still{describe(*stopped)};
    }
}

void print(const char *name, int tiles, const measured &result) {
    fmt::print("{:<24} {:>6} {:>11} {:>11} {:>10} {:>8.2f} {:>14.3g} {:>12.3g} {:>12.3g}\n", name, tiles,
               result.cycles, result.stepped, result.packets, result.seconds,
               static_cast<double>(result.cycles) / result.seconds,
               static_cast<double>(result.packets) / result.seconds,
               static_cast<double>(result.words) / result.seconds);
}

} // namespace

void report_speed(const report_options &options) {
    fmt::print(
        "\nThe simulator's own speed, on this host\n{:<24} {:>6} {:>11} {:>11} {:>10} {:>8} {:>14} {:>12} "
        "{:>12}\n",
        "run", "tiles", "cycles", "computed", "packets", "seconds", "cycles/s", "packets/s", "hops/s");
    for (const int side : {4, 64}) {
        parameters built = options.with.built;
        built.width = built.height = side;
        const int tiles = built.tiles();
        print("packets at full load", tiles, measure_run(built, [&](tile_array &array) {
                  exchange_bare_packets(array, side == 4 ? 20'000 : 50);
              }));
        print("allreduce, 1 KiB, log", tiles,
              measure_run(built, [](tile_array &array) { allreduce(array, rmpi::algorithm::logarithmic); }));
        print("allreduce, 1 KiB, mesh", tiles,
              measure_run(built, [](tile_array &array) { allreduce(array, rmpi::algorithm::mesh); }));
    }
}

} // namespace lisle::tile::study
