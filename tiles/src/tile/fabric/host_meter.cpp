// SPDX-License-Identifier: Apache-2.0
#include "tile/fabric/host_meter.hpp"

#include <ctime>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lisle::fabric {

namespace {

// Shorter times are those of the library itself, between two polls.
constexpr std::int64_t least_nanoseconds = 2000;
constexpr std::int64_t least_instructions = 4000;

/// Opens a counter of the calling thread's instructions in user mode. @return a descriptor, or -1
int open_counter() noexcept {
    perf_event_attr wanted{};
    wanted.type = PERF_TYPE_HARDWARE;
    wanted.size = sizeof wanted;
    wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    return static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

} // namespace

host_meter::~host_meter() {
    if (counter_ >= 0) {
        close(counter_);
    }
}

bool host_meter::counts_instructions() noexcept {
    const int counter = open_counter();
    if (counter >= 0) {
        close(counter);
    }
    return counter >= 0;
}

std::int64_t host_meter::read() noexcept {
    if (metered_.of == unit::time) {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
    }
    if (counter_ < 0) {
        counter_ = open_counter();
    }
    std::int64_t instructions = 0;
    return ::read(counter_, &instructions, sizeof instructions) == sizeof instructions ? instructions : 0;
}

void host_meter::begin() noexcept {
    if (metered_.of != unit::none) {
        begun_ = read();
    }
}

tile::cycle host_meter::take() noexcept {
    if (metered_.of == unit::none || begun_ < 0) {
        return 0;
    }
    const std::int64_t computed = read() - begun_;
    if (computed < (metered_.of == unit::time ? least_nanoseconds : least_instructions)) {
        return 0;
    }
    // One megahertz is a thousandth of a cycle in a nanosecond.
    const double cycles_of_one = metered_.of == unit::time ? static_cast<double>(clock_mhz_) * 1e-3 : 1;
    begun_ = read();
    return static_cast<tile::cycle>(static_cast<double>(computed) * cycles_of_one *
                                    static_cast<double>(metered_.percent) / 100);
}

} // namespace lisle::fabric
