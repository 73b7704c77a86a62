// SPDX-License-Identifier: Apache-2.0
#include "launch/host/interpose/limits.hpp"

#include "launch/host/life/refusal.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace lisle::host {

namespace {

// A thread's stack and its guard page.
constexpr long mappings_of_thread = 2;
// For libraries that the program still loads, arenas of malloc, buffers of the job.
constexpr long reserve = 1000;

long current_mappings() {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n');
}

} // namespace

void check_mappings(const closure &unit, int ranks) {
    long limit = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    if (limit == 0) { // not to be read in this container: the loader will tell
        return;
    }
    // Each segment is a mapping, the zeroed memory behind the last one is another, new names are a third.
    long of_image = 0;
    for (const module &each : unit.modules()) {
        of_image += static_cast<long>(each.file->segments().size()) + 1 + (unit.modules().size() > 1 ? 1 : 0);
    }
    const long need = current_mappings() + reserve + ranks * (of_image + mappings_of_thread);
    if (need > limit) {
        throw refusal(std::to_string(ranks) + " " + kind_of_ranks + " ranks of " + unit.program().path() +
                      (unit.modules().size() > 1
                           ? " and its " + std::to_string(unit.modules().size() - 1) + " own libraries"
                           : "") +
                      " need about " + std::to_string(need) +
                      " memory mappings, the limit vm.max_map_count is " + std::to_string(limit) +
                      "; raise it (sysctl vm.max_map_count=" + std::to_string(need) +
                      ") or spread the ranks over more processes (-P)");
    }
}

} // namespace lisle::host
