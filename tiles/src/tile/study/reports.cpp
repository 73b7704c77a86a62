// SPDX-License-Identifier: Apache-2.0
#include "tile/study/reports.hpp"

#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "tile/heat_map.hpp"
#include "tile/study/plot.hpp"

namespace lisle::tile::study {

namespace {

/// 1, 10, 100 ... up to the largest message.
std::vector<std::size_t> message_sizes(const report_options &options) {
    std::vector<std::size_t> sizes;
    for (std::size_t words = 1; static_cast<std::int64_t>(words) <= options.most_words; words *= 10) {
        sizes.push_back(words);
    }
    return sizes;
}

std::ofstream open_picture(const report_options &options, const std::string &name) {
    std::filesystem::create_directories(options.plots);
    const std::filesystem::path file = options.plots / (name + ".svg");
    std::ofstream to{file};
    if (!to) {
        throw std::runtime_error{fmt::format("cannot write {}", file.string())};
    }
    fmt::print("picture: {}\n", file.string());
    return to;
}

void draw(const report_options &options, const std::string &name, const line_plot &plot) {
    if (!options.plots.empty()) {
        std::ofstream to = open_picture(options, name);
        to << draw(plot);
    }
}

void heading(const char *title) {
    fmt::print("\n{}\n", title);
}

double ratio(cycle a, cycle b) {
    return static_cast<double>(a) / static_cast<double>(b);
}

std::string place(const report_options &options) {
    const parameters &built = options.with.built;
    return fmt::format("{} x {} tiles, V{}, {} map", built.width, built.height,
                       static_cast<int>(options.with.with), options.with.compact_map ? "compact" : "row");
}

} // namespace

void report_packets(const report_options &options) {
    heading("Packets and words on the wire, hardware headers included (as the thesis implies)");
    fmt::print("{:>9} {:>16} {:>16} {:>16} {:>16}\n", "words", "GDN", "V1", "V2", "V3");
    for (const std::size_t words : message_sizes(options)) {
        fmt::print("{:>9}", words);
        for (const rmpi::packet_format *format :
             {&rmpi::native, &rmpi::format1, &rmpi::format2, &rmpi::format3}) {
            const rmpi::wire_count count = rmpi::count_on_wire(*format, static_cast<std::int64_t>(words));
            fmt::print(" {:>16}", fmt::format("{}/{}", count.packets, count.words));
        }
        fmt::print("\n");
    }
}

void report_overhead(const report_options &options) {
    heading("A message between neighbours against bare packets (thesis, figure 5-2)");
    fmt::print("{}\n{:>9} {:>12} {:>12} {:>10} {:>12}\n", place(options), "words", "message", "packets",
               "ratio", "wire ratio");
    series message{"message", {}};
    series bare{"bare packets", {}};
    for (const std::size_t words : message_sizes(options)) {
        const cycle with = message_cycles(options.with, words);
        const cycle without = bare_packets_cycles(options.with, words);
        const auto count = static_cast<std::int64_t>(words);
        fmt::print("{:>9} {:>12} {:>12} {:>10.2f} {:>12.4f}\n", words, with, without, ratio(with, without),
                   ratio(rmpi::count_on_wire(rmpi::format3, count).words,
                         rmpi::count_on_wire(rmpi::native, count).words));
        message.points.emplace_back(words, with);
        bare.points.emplace_back(words, without);
    }
    fmt::print("Thesis: near-constant cost, noticeable when small; the gap narrows from 10 to 100 words; one "
               "header\n"
               "word in 31 is 3.2% of the packet's words. Here: {:.1f}%.\n",
               100.0 * rmpi::format3.next_header / most_payload_words);
    draw(options, "overhead",
         {"A message against bare packets", "words", "cycles", true, true, {message, bare}});
}

void report_ping_pong(const report_options &options) {
    heading("There and back between two ranks (thesis, figure 5-3)");
    fmt::print("{}\n{:>9} {:>12} {:>16}\n", place(options), "words", "cycles", "cycles a word");
    series line{"there and back", {}};
    std::vector<double> sizes;
    std::vector<double> times;
    for (const std::size_t words : message_sizes(options)) {
        const cycle cycles = ping_pong_cycles(options.with, words);
        fmt::print("{:>9} {:>12} {:>16.2f}\n", words, cycles, ratio(cycles, static_cast<cycle>(words)));
        line.points.emplace_back(words, cycles);
        if (words >= 1000) {
            sizes.push_back(static_cast<double>(words));
            times.push_back(static_cast<double>(cycles));
        }
    }
    if (sizes.size() >= 2) {
        fmt::print("Exponent from 1,000 words on: {:.3f}. The thesis calls the growth quadratic; it is "
                   "linear here, as "
                   "each\nword takes its cycles.\n",
                   fitted_exponent(sizes, times));
    }
    draw(options, "ping-pong", {"There and back", "words", "cycles", true, true, {line}});
}

void report_broadcasts(const report_options &options) {
    heading("Broadcast to all tiles (thesis, figure 5-4)");
    const int ranks = options.with.built.tiles();
    fmt::print("{}\n{:>9} {:>12} {:>12} {:>12} {:>12} {:>14}\n", place(options), "words", "linear", "log",
               "mesh", "linear/log", "log/mesh");
    series lines[] = {{"linear", {}}, {"logarithmic", {}}, {"along the mesh", {}}};
    double last = 0;
    for (const std::size_t words : message_sizes(options)) {
        cycle cycles[3];
        constexpr rmpi::algorithm algorithms[] = {rmpi::algorithm::linear, rmpi::algorithm::logarithmic,
                                                  rmpi::algorithm::mesh};
        for (std::size_t i = 0; i < 3; ++i) {
            cycles[i] = collective_cycles(options.with, collective::broadcast, algorithms[i], ranks, words);
            lines[i].points.emplace_back(words, cycles[i]);
        }
        last = ratio(cycles[0], cycles[1]);
        fmt::print("{:>9} {:>12} {:>12} {:>12} {:>12.2f} {:>14.2f}\n", words, cycles[0], cycles[1], cycles[2],
                   last, ratio(cycles[1], cycles[2]));
    }
    fmt::print("Thesis: the logarithmic one is 3.2 times faster when large (on 16 tiles). Here: {:.2f}.\n",
               last);
    draw(options, "broadcast",
         {"Broadcast", "words", "cycles", true, true, {std::begin(lines), std::end(lines)}});
}

void report_collectives(const report_options &options) {
    heading("Collectives (thesis, figure 5-5)");
    struct row {
        const char *name;
        collective which;
        rmpi::algorithm with;
    };
    constexpr row rows[] = {
        {"broadcast, log", collective::broadcast, rmpi::algorithm::logarithmic},
        {"broadcast, linear", collective::broadcast, rmpi::algorithm::linear},
        {"scatter", collective::scatter, rmpi::algorithm::as_rmpi},
        {"gather", collective::gather, rmpi::algorithm::as_rmpi},
        {"reduce, log", collective::reduce, rmpi::algorithm::logarithmic},
        {"allgather", collective::allgather, rmpi::algorithm::as_rmpi},
        {"allreduce, log", collective::allreduce, rmpi::algorithm::logarithmic},
        {"broadcast, mesh", collective::broadcast, rmpi::algorithm::mesh},
        {"reduce, mesh", collective::reduce, rmpi::algorithm::mesh},
        {"allreduce, mesh", collective::allreduce, rmpi::algorithm::mesh},
    };
    const std::vector<std::size_t> sizes = message_sizes(options);
    fmt::print("{}, cycles\n{:<20}", place(options), "words");
    for (const std::size_t words : sizes) {
        fmt::print(" {:>11}", words);
    }
    fmt::print("\n");
    line_plot plot{"Collectives", "words of each rank", "cycles", true, true, {}};
    for (const row &each : rows) {
        fmt::print("{:<20}", each.name);
        plot.lines.push_back({each.name, {}, each.with == rmpi::algorithm::mesh});
        for (const std::size_t words : sizes) {
            const cycle cycles =
                collective_cycles(options.with, each.which, each.with, options.with.built.tiles(), words);
            fmt::print(" {:>11}", cycles);
            plot.lines.back().points.emplace_back(words, cycles);
        }
        fmt::print("\n");
    }
    fmt::print(
        "Thesis: broadcasts and scatter are the fastest, gather and reduce slightly slower, allgather the "
        "slowest,\nabout gather and broadcast together.\n");
    draw(options, "collectives", plot);
}

namespace {

/// The speed-ups that the thesis states, or that follow from the efficiencies it states; 0: it states none.
struct thesis_row {
    std::string_view name;
    double at2, at4, at8, at16;
    const char *remark;
};
constexpr thesis_row thesis_rows[] = {
    {"trapezoid", 0, 3.92, 7.52, 12.3, "at 16 tiles 15 messages meet at one tile"},
    {"pi", 0, 0, 7.6, 14.56,
     "the thesis calls 2 and 4 tiles \"low\", and does not give the number of points"},
    {"Jacobi", 1.2, 2.3, 4.4, 9.3,
     "the grid is out of all caches: tiles that share a memory port slow each other"},
    {"matrix product", 0, 2.8, 5.8, 8.5, "below 1 at 2 tiles in the thesis: one of the two only distributes"},
};

const thesis_row *thesis_of(std::string_view name) {
    for (const thesis_row &row : thesis_rows) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace

void report_applications(const report_options &options) {
    heading("Four programs: speed-up over one tile (thesis, figures 5-7 to 5-12)");
    fmt::print("{}\n", place(options));
    application_sizes sizes;
    if (options.small) {
        sizes = {2048, 8192, 320, 4, 64, 30, 70};
    }
    std::vector<int> tiles;
    for (int count = 1; count <= options.with.built.tiles(); count *= 2) {
        tiles.push_back(count);
    }
    fmt::print("{:<16} {:>6} {:>14} {:>9} {:>9} {:>9}  {}\n", "program", "tiles", "cycles", "speed-up",
               "thesis", "ratio", "answer");
    line_plot plot{
        "Speed-up: model (solid), thesis (dashed)", "tiles", "speed-up over one tile", false, false, {}};
    int colour = 0;
    for (const application_maker &make : applications(sizes)) {
        const application_speed speed = measure(options.with, make, tiles);
        const thesis_row *const thesis = thesis_of(speed.name);
        series ours{speed.name, {}, false, colour};
        series theirs{speed.name + ", thesis", {}, true, colour++};
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const double value = speed.speed_up(i);
            const double stated = thesis == nullptr ? 0
                                  : tiles[i] == 2   ? thesis->at2
                                  : tiles[i] == 4   ? thesis->at4
                                  : tiles[i] == 8   ? thesis->at8
                                  : tiles[i] == 16  ? thesis->at16
                                                    : 0;
            ours.points.emplace_back(tiles[i], value);
            if (stated != 0) {
                theirs.points.emplace_back(tiles[i], stated);
            }
            fmt::print("{:<16} {:>6} {:>14} {:>9.2f} {:>9} {:>9}  {}\n", i == 0 ? speed.name : "", tiles[i],
                       speed.runs[i].cycles, value, stated != 0 ? fmt::format("{:.2f}", stated) : "-",
                       stated != 0 ? fmt::format("{:.2f}", value / stated) : "-",
                       speed.runs[i].as_serial ? "as serial" : "DIFFERS from serial");
        }
        if (thesis != nullptr) {
            fmt::print("{:<16} {}\n", "", thesis->remark);
        }
        plot.lines.push_back(ours);
        plot.lines.push_back(theirs);
    }
    plot.lines.push_back({.name = "ideal", .points = {}, .colour = colour, .marks = false});
    for (const int count : tiles) {
        plot.lines.back().points.emplace_back(count, count);
    }
    draw(options, options.with.compact_map ? "speed-up-compact" : "speed-up", plot);
}

void report_deadlock(const report_options &options) {
    heading("Two ranks that send to each other at once (thesis, section 3.2.4)");
    set_up with = options.with;
    for (const rmpi::version version : {rmpi::version::v1, rmpi::version::v2, rmpi::version::v3}) {
        with.with = version;
        for (const std::size_t words : {3, 4, 1000}) {
            tile_array array{with.built};
            const auto stopped =
                rmpi::run_ranks(array, with.tiles_for(2), version, [&](rmpi::endpoint &self) {
                    std::vector<word> data(words);
                    self.send(1 - self.rank(), 0, 0, data);
                    self.receive(1 - self.rank(), 0, 0, data);
                });
            fmt::print("V{}, {:>4} words each: ", static_cast<int>(version), words);
            if (stopped) {
                fmt::print("deadlock at cycle {}\n{}", array.model().now(), describe(*stopped));
            } else {
                fmt::print("ends at cycle {}\n", array.model().now());
            }
        }
    }
    with.with = rmpi::version::v1;
    with.built.watchdog_cycles = 1000;
    const cycle freed = [&] {
        tile_array array{with.built};
        const auto stopped = rmpi::run_ranks(array, with.tiles_for(2), with.with, [](rmpi::endpoint &self) {
            std::vector<word> data(1000);
            self.send(1 - self.rank(), 0, 0, data);
            self.receive(1 - self.rank(), 0, 0, data);
        });
        return stopped ? cycle{-1} : array.model().now();
    }();
    fmt::print("V1, 1000 words each, watchdog after 1000 cycles: {}\n",
               freed < 0 ? "deadlock" : fmt::format("ends at cycle {}", freed));
}

void report_heat(const report_options &options) {
    heading("Where a broadcast of 1,000 words and a gather of as many go");
    struct row {
        const char *name;
        const char *title;
        rmpi::algorithm with;
        bool gather;
    };
    constexpr row rows[] = {
        {"heat-broadcast-log", "Logarithmic broadcast", rmpi::algorithm::logarithmic, false},
        {"heat-broadcast-mesh", "Broadcast along the mesh", rmpi::algorithm::mesh, false},
        {"heat-gather", "Gather", rmpi::algorithm::as_rmpi, true},
    };
    constexpr std::size_t words = 1000;
    const int ranks = options.with.built.tiles();
    const int root = set_up::root_for(ranks);
    for (const row &each : rows) {
        tile_array array{options.with.built};
        const auto stopped = rmpi::run_ranks(
            array, options.with.tiles_for(ranks), options.with.with, [&](rmpi::endpoint &self) {
                std::vector<word> mine(words);
                std::vector<word> all(each.gather ? words * static_cast<std::size_t>(ranks) : 0);
                each.gather ? rmpi::gather(self, root, mine, all)
                            : rmpi::broadcast(self, each.with, root, mine);
            });
        if (stopped) {
            throw stood_still{describe(*stopped)};
        }
        fmt::print("{:<26} {:>9} cycles, busiest link {}\n", each.title, array.model().now(),
                   describe(find_busiest_link(array.model().network()), array.model()));
        if (!options.plots.empty()) {
            std::ofstream to = open_picture(options, each.name);
            to << draw_heat_map(array.model(), each.title);
        }
    }
}

} // namespace lisle::tile::study
