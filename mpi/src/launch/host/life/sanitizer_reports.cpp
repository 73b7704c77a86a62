// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life/sanitizer_reports.hpp"

#include "base/sanitizer_calls.hpp"
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace lisle::host {

namespace {

void say(std::string_view text) noexcept {
    static_cast<void>(real_write(STDERR_FILENO, text.data(), text.size()));
}

void say_rank(const char *what) noexcept {
    if (const hosted_rank *const rank = this_rank(); rank != nullptr) {
        char line[80];
        const int length = std::snprintf(line, sizeof line, "lisle-host: %s rank %d\n", what, rank->number);
        say({line, static_cast<std::size_t>(length)});
    }
}

/// The options of the user's that concern how leaks are reported.
bool leaks_are_as_usual() {
    for (const char *const variable : {"ASAN_OPTIONS", "LSAN_OPTIONS"}) {
        const char *const options = std::getenv(variable);
        for (const std::string_view wish : {"leak_check_at_exit", "log_path", "log_exe_name"}) {
            if (options != nullptr && std::string_view{options}.find(wish) != std::string_view::npos) {
                return false;
            }
        }
    }
    return true;
}

/// A report of leaks, as the runtime writes it into a file in memory.
struct leak_report {
    int file = -1;
    const rank_list *ranks = nullptr;
};
leak_report leaks; // the callback has no argument

const hosted_rank *owner_of(std::uintptr_t address) {
    for (const auto &rank : *leaks.ranks) {
        if (rank_code.of(*rank).owns(reinterpret_cast<const void *>(address))) {
            return rank.get();
        }
    }
    return nullptr;
}

/// The address in a line such as "    #1 0x5581 in main a.c:5"; 0: it has none.
std::uintptr_t address_in(std::string_view line) {
    const std::size_t number = line.find(" 0x");
    const std::size_t sign = line.find_first_not_of(' ');
    return sign != std::string_view::npos && line[sign] == '#' && number != std::string_view::npos
               ? std::strtoull(std::string{line.substr(number + 1)}.c_str(), nullptr, 16)
               : 0;
}

/// The report with a line in front of each leak that a rank's code has made.
std::string with_ranks(std::string_view report) {
    std::string text;
    std::string leak; // from its first line on, until a frame tells whose it is
    while (!report.empty()) {
        const std::size_t length = std::min(report.find('\n'), report.size() - 1) + 1;
        const std::string_view line = report.substr(0, length);
        report.remove_prefix(length);
        const bool begins = line.find("leak of ") != std::string_view::npos;
        if (begins || line == "\n") {
            text += std::exchange(leak, {});
        }
        if (begins) {
            leak = line;
            continue;
        }
        if (const auto address = leak.empty() ? 0 : address_in(line); address != 0) {
            if (const hosted_rank *const rank = owner_of(address)) {
                text += "lisle-host: allocated by rank " + std::to_string(rank->number) + "\n" + leak;
                leak.clear();
            }
        }
        (leak.empty() ? text : leak) += line;
    }
    return text + leak;
}

void print_leaks() {
    if (leaks.file < 0) {
        return;
    }
    std::string report;
    char part[4096];
    for (ssize_t length;
         (length = pread(leaks.file, part, sizeof part, static_cast<off_t>(report.size()))) > 0;) {
        report.append(part, static_cast<std::size_t>(length));
    }
    close(std::exchange(leaks.file, -1));
    say(with_ranks(report));
}

void *as_pointer(int descriptor) {
    return reinterpret_cast<void *>(static_cast<std::intptr_t>(descriptor));
}

} // namespace

void name_ranks_in_reports() {
    if (__asan_set_error_report_callback != nullptr) {
        __asan_set_error_report_callback([](const char *) { say_rank("the report above is of"); });
    }
}

void look_for_leaks(const rank_list &ranks) {
    if (__lsan_do_leak_check == nullptr || __sanitizer_set_report_fd == nullptr || !leaks_are_as_usual()) {
        return;
    }
    leaks = {memfd_create("leaks", MFD_CLOEXEC), &ranks};
    if (leaks.file < 0) {
        return;
    }
    __sanitizer_set_report_fd(as_pointer(leaks.file));
    if (__sanitizer_set_death_callback != nullptr) {
        __sanitizer_set_death_callback(&print_leaks);
    }
    __lsan_do_leak_check(); // does not return if there are leaks, unless their exit code is 0
    print_leaks();
    __sanitizer_set_report_fd(as_pointer(STDERR_FILENO));
}

} // namespace lisle::host

// The runtimes call these, which they have themselves for programs that do not.
extern "C" {

void __tsan_on_report(void *) {
    lisle::host::say_rank("the report above is of");
}

void __ubsan_on_report() {
    lisle::host::say_rank("the report below is of");
}

#ifndef LISLE_SANITIZES_THREADS
// Lisle is built without ThreadSanitizer, which sees none of the order that messages make among ranks, but
// what the C library's functions do for them. (A library that was built with it would lose the order that
// its own static objects make: the runtime releases no guard in a library named here.)
const char *__tsan_default_suppressions() {
    return "called_from_lib:libmpi_abi.so\ncalled_from_lib:lisle-host\n";
}
#endif

// LeakSanitizer alone takes a rank's fiber for no stack at all, and what was allocated there for the
// loader's.
const char *__lsan_default_options() {
    return __sanitizer_start_switch_fiber == nullptr ? "fast_unwind_on_malloc=0" : "";
}

} // extern "C"
