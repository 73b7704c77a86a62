// SPDX-License-Identifier: Apache-2.0
#include "communicator/hardware.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sched.h>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace lisle {

namespace {

/// Numbers of processors, in ascending order.
using processors = std::vector<int>;

/// Reads the kernel's form of a list, "0-3,8"; nothing for what is none.
std::optional<processors> parse_list(std::string_view text) {
    processors all;
    const char *at = text.data(), *const end = at + text.size();
    while (at < end) {
        int first = 0;
        auto read = std::from_chars(at, end, first);
        if (read.ec != std::errc{}) {
            return std::nullopt;
        }
        int last = first;
        if (read.ptr < end && *read.ptr == '-') {
            read = std::from_chars(read.ptr + 1, end, last);
            if (read.ec != std::errc{}) {
                return std::nullopt;
            }
        }
        if (first < 0 || last < first || last >= CPU_SETSIZE) {
            return std::nullopt;
        }
        for (; first <= last; ++first) {
            all.push_back(first);
        }
        at = read.ptr + (read.ptr < end && *read.ptr == ',' ? 1 : 0);
        if (at < end && at == read.ptr) {
            return std::nullopt;
        }
    }
    return all.empty() ? std::nullopt : std::optional{std::move(all)};
}

std::optional<std::string> read_line(const std::string &path) {
    std::ifstream file{path};
    std::string line;
    return std::getline(file, line) ? std::optional{std::move(line)} : std::nullopt;
}

std::optional<processors> read_list(const std::string &path) {
    const auto line = read_line(path);
    return line ? parse_list(*line) : std::nullopt;
}

std::optional<processors> cache_of(const std::string &processor, const char *level) {
    for (int index = 0;; ++index) {
        const std::string cache = sentence(processor, "/cache/index", index);
        const auto found = read_line(cache + "/level");
        if (!found) {
            return std::nullopt;
        }
        if (*found == level && read_line(cache + "/type") != std::optional<std::string>{"Instruction"}) {
            return read_list(cache + "/shared_cpu_list");
        }
    }
}

/// The processors of each memory node.
std::vector<processors> all_nodes() {
    std::vector<processors> all;
    for (const int node : read_list("/sys/devices/system/node/online").value_or(processors{})) {
        if (auto members = read_list(sentence("/sys/devices/system/node/node", node, "/cpulist"))) {
            all.push_back(std::move(*members));
        }
    }
    return all;
}

std::optional<processors> node_of(int processor) {
    for (processors &members : all_nodes()) {
        if (std::ranges::binary_search(members, processor)) {
            return std::move(members);
        }
    }
    return std::nullopt;
}

/// The processors that a thread may use. @param thread its number, 0: the calling one
processors allowed_processors(int thread = 0) {
    processors all;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(thread, sizeof set, &set) == 0) {
        for (int i = 0; i < CPU_SETSIZE; ++i) {
            if (CPU_ISSET(i, &set)) {
                all.push_back(i);
            }
        }
    }
    return all;
}

} // namespace

hardware_place find_hardware_place() {
    hardware_place place;
    place.fill(not_known);
    const processors mine = allowed_processors();
    if (mine.empty()) {
        return place;
    }
    const int first = mine.front();
    const std::string processor = sentence("/sys/devices/system/cpu/cpu", first);
    // In the order of hardware_types.
    const std::optional<processors> parts[] = {read_list(processor + "/topology/package_cpus_list"),
                                               node_of(first),
                                               cache_of(processor, "3"),
                                               cache_of(processor, "2"),
                                               cache_of(processor, "1"),
                                               read_list(processor + "/topology/core_cpus_list"),
                                               processors{first}};
    static_assert(std::size(parts) == std::size(hardware_types));
    for (std::size_t i = 0; i < std::size(parts); ++i) {
        if (parts[i]) {
            place[i] = std::ranges::includes(*parts[i], mine) ? parts[i]->front() : not_restricted;
        }
    }
    return place;
}

memory_nodes::memory_nodes() : processors_{all_nodes()} {}

int memory_nodes::node_of(int process_id) const {
    const processors allowed = process_id > 0 ? allowed_processors(process_id) : processors{};
    for (std::size_t i = 0; i < processors_.size(); ++i) {
        if (!allowed.empty() && std::ranges::includes(processors_[i], allowed)) {
            return static_cast<int>(i);
        }
    }
    return not_restricted;
}

} // namespace lisle
