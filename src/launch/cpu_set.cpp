// SPDX-License-Identifier: Apache-2.0
#include "launch/cpu_set.hpp"

#include <bit>
#include <charconv>
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

cpu_set cpu_set::parse(std::string_view list) {
    cpu_set set;
    const char *at = list.data();
    const char *const end = at + list.size();
    while (at != end) {
        std::size_t first = 0;
        auto read = std::from_chars(at, end, first);
        if (read.ec != std::errc{}) {
            break;
        }
        std::size_t last = first;
        if (read.ptr != end && *read.ptr == '-') {
            read = std::from_chars(read.ptr + 1, end, last);
        }
        for (auto cpu = first; cpu <= last && cpu < most; ++cpu) {
            set.add(cpu);
        }
        at = read.ptr != end && *read.ptr == ',' ? read.ptr + 1 : end;
    }
    return set;
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

std::vector<cpu_set> places(binding bind) {
    return places(cpu_set::allowed(), bind, [](std::size_t cpu) {
        std::ifstream file{"/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                           "/topology/thread_siblings_list"};
        std::string list;
        std::getline(file, list);
        return list;
    });
}

} // namespace lisle::launch
