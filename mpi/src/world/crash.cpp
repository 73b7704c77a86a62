// SPDX-License-Identifier: Apache-2.0
#include "world/crash.hpp"

#include <sys/resource.h>

#include "base/settings.hpp"
#include "world/crash_stack.hpp"

namespace lisle {

namespace {
crash_wish wish() noexcept {
    return static_cast<crash_wish>(value_of(setting::crash));
}
} // namespace

void report_crash(bootstrap &start, int rank, int signal, std::uintptr_t address) noexcept {
    start.report_fault(rank, signal, address);
    crash_stack *const room = start.room_for_crash();
    if (room == nullptr || wish() == crash_wish::quiet || !room->fill(wish())) {
        return;
    }
    if (wish() == crash_wish::debugger || start.places().rank_count(start.self().index) > 1) {
        room->wait_for_reader();
    }
}

void prepare_for_crash() noexcept {
    rlimit limit{};
    if (wish() == crash_wish::core && getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_CORE, &limit);
    }
}

} // namespace lisle
