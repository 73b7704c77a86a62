// SPDX-License-Identifier: Apache-2.0
#include "launch/common/cpu_set.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>

namespace lisle::launch {

cpu_set cpu_set::allowed() {
    cpu_set set;
    if (sched_getaffinity(0, sizeof set.words_, reinterpret_cast<cpu_set_t *>(set.words_.data())) != 0) {
        set.words_.fill(0);
    }
    return set;
}

namespace {

/// Calls `found(first, last)` for each range of the list; false if it is not a list.
template <class Found> bool read_ranges(std::string_view list, Found found) {
    const char *at = list.data();
    const char *const end = at + list.size();
    while (true) {
        std::size_t first = 0;
        auto read = std::from_chars(at, end, first);
        std::size_t last = first;
        if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-') {
            read = std::from_chars(read.ptr + 1, end, last);
            last = read.ec == std::errc{} ? last : 0;
        }
        if (read.ec != std::errc{} || last < first) {
            return false;
        }
        found(first, last);
        if (read.ptr == end) {
            return true;
        }
        if (*read.ptr != ',') {
            return false;
        }
        at = read.ptr + 1;
    }
}

} // namespace

cpu_set cpu_set::parse(std::string_view list) {
    cpu_set set;
    read_ranges(list, [&](std::size_t first, std::size_t last) {
        for (auto cpu = first; cpu <= last && cpu < most; ++cpu) {
            set.add(cpu);
        }
    });
    return set;
}

bool cpu_set::is_list(std::string_view list) {
    bool possible = true;
    return read_ranges(list, [&](std::size_t, std::size_t last) { possible = possible && last < most; }) &&
           possible;
}

std::string cpu_set::list() const {
    std::string text;
    for (std::size_t cpu = 0; cpu < most; ++cpu) {
        if (!has(cpu)) {
            continue;
        }
        const auto first = cpu;
        while (cpu + 1 < most && has(cpu + 1)) {
            ++cpu;
        }
        text += (text.empty() ? "" : ",") + std::to_string(first);
        text += cpu > first ? "-" + std::to_string(cpu) : std::string{};
    }
    return text;
}

void cpu_set::add(std::size_t cpu) noexcept {
    words_[cpu / bits] |= 1UL << (cpu % bits);
}

bool cpu_set::has(std::size_t cpu) const noexcept {
    return (words_[cpu / bits] >> (cpu % bits) & 1) != 0;
}

int cpu_set::count() const noexcept {
    int sum = 0;
    for (const auto word : words_) {
        sum += std::popcount(word);
    }
    return sum;
}

cpu_set cpu_set::operator&(const cpu_set &other) const noexcept {
    cpu_set both;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        both.words_[i] = words_[i] & other.words_[i];
    }
    return both;
}

bool cpu_set::apply() const noexcept {
    return sched_setaffinity(0, sizeof words_, reinterpret_cast<const cpu_set_t *>(words_.data())) == 0;
}

namespace {

constexpr std::string_view cpu_folder = "/sys/devices/system/cpu/cpu";

std::string line_of(const std::filesystem::path &file) {
    std::string line;
    std::ifstream stream{file};
    std::getline(stream, line);
    return line;
}

/// The processors that share the cache of this level (of data, if there are two) with `cpu`.
std::string sharers_of_cache(const std::filesystem::path &cpu, char level) {
    std::error_code none;
    for (const auto &cache : std::filesystem::directory_iterator{cpu / "cache", none}) {
        if (line_of(cache.path() / "level") == std::string{level} &&
            line_of(cache.path() / "type") != "Instruction") {
            return line_of(cache.path() / "shared_cpu_list");
        }
    }
    return {};
}

std::string sharers_of_node(const std::filesystem::path &cpu) {
    std::error_code none;
    for (const auto &link : std::filesystem::directory_iterator{cpu, none}) {
        const auto name = link.path().filename().string();
        if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos) {
            return line_of(link.path() / "cpulist");
        }
    }
    return {};
}

/// What the kernel says of the unit; nothing where it does not know, and then each processor is one.
std::string members_of(std::string_view unit, std::size_t number) {
    const std::filesystem::path cpu{std::string{cpu_folder} + std::to_string(number)};
    if (unit == "core") {
        return line_of(cpu / "topology/thread_siblings_list");
    }
    if (unit == "package") {
        return line_of(cpu / "topology/core_siblings_list");
    }
    if (unit == "numa") {
        return sharers_of_node(cpu);
    }
    return unit == "hwthread" ? std::string{} : sharers_of_cache(cpu, unit[1]); // l3cache
}

} // namespace

bool is_unit(std::string_view name) {
    constexpr std::array<std::string_view, 7> units{"package", "numa", "l3cache", "l2cache",
                                                    "l1cache", "core", "hwthread"};
    return std::find(units.begin(), units.end(), name) != units.end();
}

std::vector<cpu_set> places(std::string_view binding) {
    if (is_unit(binding)) {
        return places(cpu_set::allowed(), [&](std::size_t cpu) { return members_of(binding, cpu); });
    }
    std::vector<cpu_set> found;
    read_ranges(binding, [&](std::size_t first, std::size_t last) {
        for (auto cpu = first; cpu <= last && cpu < cpu_set::most; ++cpu) {
            found.emplace_back().add(cpu);
        }
    });
    return found;
}

} // namespace lisle::launch
