// SPDX-License-Identifier: Apache-2.0
#include "task/command/perfetto.hpp"

#include <algorithm>
#include <cstdio>

namespace lisle::tasks {

namespace {

std::string quoted(const std::string &text) {
    std::string all = "\"";
    for (const char letter : text) {
        if (static_cast<unsigned char>(letter) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
            all += code;
            continue;
        }
        if (letter == '"' || letter == '\\') {
            all += '\\';
        }
        all += letter;
    }
    return all + '"';
}

std::string name_of(const char *what, int rank, int tile, const std::string &name) {
    return std::string{"{\"ph\":\"M\",\"name\":\""} + what + "\",\"pid\":" + std::to_string(rank) +
           ",\"tid\":" + std::to_string(tile) + ",\"args\":{\"name\":" + quoted(name) + "}}";
}

} // namespace

std::string write_trace_events(const std::vector<trace_event> &events, const std::string &program) {
    double begin = events.empty() ? 0 : events.front().begin;
    std::vector<std::pair<int, int>> tiles; // rank, tile
    for (const trace_event &each : events) {
        begin = std::min(begin, each.begin);
        tiles.emplace_back(each.rank, each.tile);
    }
    std::ranges::sort(tiles);
    tiles.erase(std::ranges::unique(tiles).begin(), tiles.end());
    std::string all = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    for (const auto &[rank, tile] : tiles) {
        all += "\n" + name_of("process_name", rank, tile, "rank " + std::to_string(rank)) + ",\n" +
               name_of("thread_name", rank, tile, "tile " + std::to_string(tile)) + ",";
    }
    for (const trace_event &each : events) {
        char times[80];
        std::snprintf(times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f", (each.begin - begin) * 1e6,
                      (each.end - each.begin) * 1e6);
        all += "\n{\"ph\":\"X\",\"name\":" + quoted(each.name) +
               ",\"cat\":\"kernel\",\"pid\":" + std::to_string(each.rank) +
               ",\"tid\":" + std::to_string(each.tile) + "," + times + ",\"args\":{\"called at\":" +
               quoted(program + ":" + std::to_string(each.where.line) + ":" +
                      std::to_string(each.where.column)) +
               "}},";
    }
    if (all.back() == ',') {
        all.pop_back();
    }
    return all + "\n]}\n";
}

} // namespace lisle::tasks
