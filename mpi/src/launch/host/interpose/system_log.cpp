// SPDX-License-Identifier: Apache-2.0
// The system's log: the C library keeps one name, facility and mask for the process. A rank's are its own;
// its messages are sent with them, one rank at a time.
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

#include <cstdarg>
#include <mutex>
#include <syslog.h>

namespace lisle::host {

namespace {

const real<"openlog", void(const char *, int, int)> real_openlog;
const real<"closelog", void()> real_closelog;
const real<"setlogmask", int(int)> real_set_mask;
const real<"vsyslog", void(int, const char *, std::va_list)> real_log;

struct log_state {
    const char *name = nullptr; ///< the program's memory, as the C library keeps it
    int options = 0;
    int facility = LOG_USER;
    int mask = 0xff;
};
const rank_slot<log_state> rank_log;
std::mutex logging; ///< protects the C library's state

void log(int priority, const char *format, std::va_list arguments) {
    const hosted_rank *const rank = this_rank();
    if (rank == nullptr) {
        real_log(priority, format, arguments);
        return;
    }
    const log_state &own = rank_log.of(*rank);
    const std::scoped_lock lock(logging);
    real_openlog(own.name, own.options, own.facility);
    const int before = real_set_mask(own.mask);
    real_log(priority, format, arguments);
    real_set_mask(before);
    real_closelog();
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

void openlog(const char *name, int options, int facility) {
    if (hosted_rank *const rank = lisle::host::this_rank()) {
        log_state &own = rank_log.of(*rank);
        own = {name, options, facility, own.mask};
    } else {
        real_openlog(name, options, facility);
    }
}

void closelog() {
    if (hosted_rank *const rank = lisle::host::this_rank()) {
        log_state &own = rank_log.of(*rank);
        own = {nullptr, 0, LOG_USER, own.mask};
    } else {
        real_closelog();
    }
}

int setlogmask(int mask) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_set_mask(mask);
    }
    int &own = rank_log.of(*rank).mask;
    const int former = own;
    own = mask != 0 ? mask : own;
    return former;
}

void vsyslog(int priority, const char *format, std::va_list arguments) {
    lisle::host::log(priority, format, arguments);
}

void syslog(int priority, const char *format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    lisle::host::log(priority, format, arguments);
    va_end(arguments);
}

// Their names in programs compiled with _FORTIFY_SOURCE.
void __vsyslog_chk(int priority, int, const char *format, std::va_list arguments) {
    lisle::host::log(priority, format, arguments);
}

void __syslog_chk(int priority, int, const char *format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    lisle::host::log(priority, format, arguments);
    va_end(arguments);
}

} // extern "C"
