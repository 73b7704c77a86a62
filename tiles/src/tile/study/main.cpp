// SPDX-License-Identifier: Apache-2.0
// lisle-tiles: rMPI's experiments on a modelled tile processor.
#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tile/study/compare.hpp"
#include "tile/study/reports.hpp"
#include "tile/study/traffic_report.hpp"

namespace {

using namespace lisle::tile;
using namespace lisle::tile::study;

constexpr auto about =
    R"(Models a tile processor (cores on a mesh of 32-bit links, one word a cycle, one hop a cycle) and repeats on
it the experiments of rMPI, MPI for the Raw processor (J. R. Psota's thesis, MIT, 2005): tables beside the
thesis's figures, pictures with --plots.

  lisle-tiles broadcast                           linear, logarithmic and mesh broadcasts on 4 x 4 tiles
  lisle-tiles applications --plots out            the four programs, and their speed-ups as a picture
  lisle-tiles all --map compact                   everything, ranks on squares instead of rows
  lisle-tiles parameters > my.mesh                all parameters with meaning and source, to be edited
  lisle-tiles collectives --machine my.mesh       the same experiments on a machine of one's own
  lisle-tiles broadcast --set width=8 --set height=8 --set interrupt_entry_cycles=200
  lisle-tiles traffic --pattern transpose --set topology=torus --out curves
  lisle-tiles compare a.mesh b.mesh ./program     an MPI program on two machines
)";

struct experiment {
    const char *name;
    const char *meaning;
    void (*report)(const report_options &);
};
constexpr experiment experiments[] = {
    {"packets", "packets and words on the wire for each version", report_packets},
    {"overhead", "messages against bare packets (figure 5-2)", report_overhead},
    {"ping-pong", "there and back between two ranks (figure 5-3)", report_ping_pong},
    {"broadcast", "linear, logarithmic and mesh broadcasts (figure 5-4)", report_broadcasts},
    {"collectives", "ten collectives (figure 5-5)", report_collectives},
    {"applications", "trapezoid, pi, Jacobi, matrix product (figures 5-7 to 5-12)", report_applications},
    {"deadlock", "two ranks that send to each other, with each version", report_deadlock},
    {"heat", "use of the links by three collectives", report_heat},
    {"speed", "how fast the simulator itself is, with 16 and 4,096 tiles", report_speed},
};

/// The machine of a file, with single parameters changed. What the changes replace is said.
void read_machine(parameters &built, const std::string &file, const std::vector<std::string> &changes) {
    std::set<std::string> stated;
    if (!file.empty()) {
        std::ifstream from{file};
        stated = read_parameters(built, from, file);
    }
    std::stringstream lines;
    for (const std::string &each : changes) {
        lines << each << '\n';
    }
    for (const std::string &name : read_parameters(built, lines, "--set")) {
        if (stated.contains(name)) {
            fmt::print(stderr, "lisle-tiles: --set replaces what {} says of {}\n", file, name);
        }
    }
}

void add_traffic(CLI::App &app, traffic_request &traffic) {
    CLI::App &command =
        *app.add_subcommand("traffic", "latency over load of synthetic traffic, without software");
    std::vector<std::string> names = pattern_names();
    names.emplace_back("all");
    command.add_option("--pattern", traffic.pattern, "where packets go")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    command
        .add_option("--rate", traffic.rate, "words of a tile in a cycle, headers included; without, a curve")
        ->check(CLI::Range(0.0, 1.0));
    command.add_option("--step", traffic.step, "between two rates of a curve")
        ->check(CLI::Range(0.001, 1.0))
        ->capture_default_str();
    command.add_option("--payload", traffic.payload, "words of a packet behind its header")
        ->check(CLI::Range(1, most_payload_words))
        ->capture_default_str();
    command.add_option("--hotspot", traffic.hotspot, "the tile that a tenth of hotspot traffic goes to");
    command.add_option("--out", traffic.out,
                       "folder for curve.csv, curve.json, curve.svg, and more with --rate");
}

void add_compare(CLI::App &app, comparison &compared) {
    CLI::App &command = *app.add_subcommand("compare", "one MPI program on two machines, side by side");
    command.add_option("first", compared.first, "file of parameters")->required()->check(CLI::ExistingFile);
    command.add_option("second", compared.second, "file of parameters")->required()->check(CLI::ExistingFile);
    command.add_option("-n", compared.ranks, "ranks; without, one for each tile")->check(CLI::PositiveNumber);
    command.add_option("program", compared.program, "and its arguments")->required();
    command.positionals_at_end();
}

} // namespace

int main(int count, char **arguments) {
    CLI::App app{about};
    app.name("lisle-tiles");
    app.require_subcommand(1, 0);
    app.fallthrough();
    std::string machine_file;
    std::vector<std::string> changes;
    std::string map = "row";
    std::string plots;
    int version = 3;
    report_options options;
    app.add_option("--machine", machine_file, "file of parameters, each line \"name = value\"")
        ->check(CLI::ExistingFile);
    app.add_option("--set", changes, "changes one parameter: name=value; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--map", map, "tiles of the ranks: in rows as in the thesis, or on a square")
        ->check(CLI::IsMember({"row", "compact"}))
        ->capture_default_str();
    app.add_option("--rmpi", version, "which version of rMPI; mesh collectives need the third")
        ->check(CLI::Range(1, 3))
        ->capture_default_str();
    app.add_option("--words", options.most_words, "the largest message")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--plots", plots, "directory for pictures (SVG)");
    app.add_flag("--small", options.small, "the four programs at small sizes");
    app.add_subcommand("parameters", "print all parameters of the machine, as a file for --machine");
    app.add_subcommand("all", "all experiments but speed");
    for (const experiment &each : experiments) {
        app.add_subcommand(each.name, each.meaning);
    }
    traffic_request traffic;
    add_traffic(app, traffic);
    comparison compared;
    add_compare(app, compared);
    CLI11_PARSE(app, count, arguments);

    try {
        read_machine(options.with.built, machine_file, changes);
        options.with.compact_map = map == "compact";
        options.with.with = static_cast<rmpi::version>(version);
        options.plots = plots;
        if (app.got_subcommand("parameters")) {
            write_parameters(options.with.built, std::cout);
        }
        if (app.got_subcommand("traffic")) {
            report_traffic(options.with.built, traffic);
        }
        if (app.got_subcommand("compare")) {
            compare_machines(compared);
        }
        for (const experiment &each : experiments) {
            const bool in_all = app.got_subcommand("all") && each.report != report_speed;
            if (in_all || app.got_subcommand(each.name)) {
                each.report(options);
            }
        }
    } catch (const std::exception &failed) {
        fmt::print(stderr, "lisle-tiles: {}\n", failed.what());
        return 1;
    }
    return 0;
}
