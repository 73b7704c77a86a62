// SPDX-License-Identifier: Apache-2.0
#include "execution/watchpoint.hpp"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace lisle {

namespace {

perf_event_attr attributes_of(watchpoint::range bytes, bool loads_too) noexcept {
    perf_event_attr made{};
    made.type = PERF_TYPE_BREAKPOINT;
    made.size = sizeof made;
    made.bp_type = loads_too ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
    made.bp_addr = bytes.begin;
    made.bp_len = bytes.end - bytes.begin;
    made.sample_period = 1;
    made.exclude_kernel = 1; // copies between processes, calls that read files
    made.exclude_hv = 1;
    made.sigtrap = 1;
    made.remove_on_exec = 1;
    return made;
}

} // namespace

bool watchpoint::begin(range bytes, bool loads_too) noexcept {
    perf_event_attr wanted = attributes_of(bytes, loads_too);
    if (event_ && ioctl(event_.get(), PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &wanted) != 0) {
        event_.reset();
    }
    if (!event_) {
        event_ = owned_descriptor{
            static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC))};
    }
    bytes_ = bytes;
    static_cast<void>(has_trapped());
    return static_cast<bool>(event_);
}

void watchpoint::end() noexcept {
    if (event_) {
        ioctl(event_.get(), PERF_EVENT_IOC_DISABLE, 0);
    }
}

bool watchpoint::has_trapped() noexcept {
    std::uint64_t now = 0;
    return event_ && read(event_.get(), &now, sizeof now) == sizeof now && std::exchange(traps_, now) != now;
}

} // namespace lisle
