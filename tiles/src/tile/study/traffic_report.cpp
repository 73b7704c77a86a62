// SPDX-License-Identifier: Apache-2.0
#include "tile/study/traffic_report.hpp"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "tile/study/plot.hpp"

namespace lisle::tile::study {

namespace {

struct curve {
    std::string pattern;
    std::vector<traffic_result> runs;
};

std::vector<std::string> patterns_of(const parameters &machine, const traffic_request &request) {
    if (request.pattern != "all") {
        return {request.pattern};
    }
    std::vector<std::string> all;
    for (const std::string &name : pattern_names()) {
        try {
            static_cast<void>(pattern_from(name, machine));
            all.push_back(name);
        } catch (const std::invalid_argument &) {
            // The machine's tiles do not have this pattern.
        }
    }
    return all;
}

curve measure(const parameters &machine, const traffic_request &request, const std::string &pattern) {
    traffic_options options;
    options.to = pattern_from(pattern, machine);
    options.payload = request.payload;
    options.hotspot = request.hotspot;
    options.rate = request.rate;
    if (request.rate != 0) {
        return {pattern, {run_traffic(machine, options)}};
    }
    return {pattern, run_curve(machine, options, request.step)};
}

void print(const curve &measured) {
    for (const traffic_result &run : measured.runs) {
        const latencies &times = run.report.times;
        fmt::print("{:<16} {:>8.3f} {:>9.3f} {:>9.2f} {:>7} {:>7} {:>7} {:>8}  {}\n", measured.pattern,
                   run.offered, run.accepted, times.mean(), times.percentile(50), times.percentile(95),
                   times.percentile(99), times.most(), run.saturated ? "saturated" : "");
    }
}

std::ofstream open(const std::filesystem::path &folder, const char *name) {
    std::filesystem::create_directories(folder);
    std::ofstream to{folder / name};
    if (!to) {
        throw std::runtime_error{fmt::format("cannot write {}", (folder / name).string())};
    }
    return to;
}

void write(const std::vector<curve> &curves, const std::filesystem::path &folder) {
    std::ofstream table = open(folder, "curve.csv");
    std::ofstream json = open(folder, "curve.json");
    table
        << "pattern,offered,accepted,latency_mean,latency_50,latency_95,latency_99,latency_most,saturated\n";
    json << "[";
    const char *before = "\n";
    line_plot plot{.title = "Latency over load",
                   .x_label = "words of a tile in a cycle, offered",
                   .y_label = "cycles of a packet, mean",
                   .lines = {}};
    for (const curve &each : curves) {
        series line{each.pattern, {}};
        for (const traffic_result &run : each.runs) {
            const latencies &times = run.report.times;
            table << fmt::format("{},{:.5f},{:.5f},{:.3f},{},{},{},{},{}\n", each.pattern, run.offered,
                                 run.accepted, times.mean(), times.percentile(50), times.percentile(95),
                                 times.percentile(99), times.most(), run.saturated ? 1 : 0);
            json << before
                 << fmt::format(
                        "{{\"pattern\": \"{}\", \"offered\": {:.5f}, \"accepted\": {:.5f}, \"latency_mean\": "
                        "{:.3f}, "
                        "\"latency_50\": {}, \"latency_95\": {}, \"latency_99\": {}, \"latency_most\": {}, "
                        "\"saturated\": {}}}",
                        each.pattern, run.offered, run.accepted, times.mean(), times.percentile(50),
                        times.percentile(95), times.percentile(99), times.most(), run.saturated);
            before = ",\n";
            if (!run.saturated) {
                line.points.emplace_back(run.offered, times.mean());
            }
        }
        if (!line.points.empty()) {
            plot.lines.push_back(line);
        }
    }
    json << "\n]\n";
    if (!plot.lines.empty()) {
        open(folder, "curve.svg") << draw(plot);
    }
}

} // namespace

void report_traffic(const parameters &machine, const traffic_request &request) {
    fmt::print(
        "\nSynthetic traffic on {} x {} tiles, {}, packets of {} words\n{:<16} {:>8} {:>9} {:>9} {:>7} {:>7} "
        "{:>7} {:>8}\n",
        machine.shape().width, machine.shape().height, make_network(machine)->described(),
        request.payload + 1, "pattern", "offered", "accepted", "latency", "50 %", "95 %", "99 %", "most");
    std::vector<curve> curves;
    for (const std::string &pattern : patterns_of(machine, request)) {
        curves.push_back(measure(machine, request, pattern));
        print(curves.back());
    }
    if (request.out.empty()) {
        return;
    }
    write(curves, request.out);
    if (request.rate != 0 && curves.size() == 1) {
        const std::filesystem::path failed = write_files(curves.front().runs.front().report, request.out);
        if (!failed.empty()) {
            throw std::runtime_error{fmt::format("cannot write {}", failed.string())};
        }
    }
    fmt::print("files: {}\n", request.out.string());
}

} // namespace lisle::tile::study
