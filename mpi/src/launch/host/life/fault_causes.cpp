// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life/fault_causes.hpp"

#include "base/text.hpp"
#include "launch/host/architecture/signal_frame.hpp"
#include "launch/host/image/library_rules.hpp"
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "library/host_interface.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <unwind.h>

namespace lisle::host {

namespace {

/// A sentence put together without memory of its own.
class line {
  public:
    line &operator<<(std::string_view text) {
        const std::size_t length = std::min(text.size(), sizeof text_ - used_);
        std::memcpy(text_ + used_, text.data(), length);
        used_ += length;
        return *this;
    }
    line &operator<<(unsigned long number) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
    }
    void print() const { static_cast<void>(real_write(STDERR_FILENO, text_, used_)); }

  private:
    char text_[512];
    std::size_t used_ = 0;
};

std::string_view library_at(const void *address) {
    dl_find_object found{};
    if (_dl_find_object(const_cast<void *>(address), &found) != 0 || found.dlfo_link_map->l_name == nullptr) {
        return {};
    }
    return base_name(found.dlfo_link_map->l_name);
}

struct search {
    const loaded_code &own;
    std::string_view found;
    int frames;
};

/// Goes up the stack from the fault, past the C library and other libraries of the system, to a library that
/// the ranks share, if one comes before the rank's own code.
_Unwind_Reason_Code look(_Unwind_Context *frame, void *opaque) {
    constexpr int most_frames = 64;
    auto &wanted = *static_cast<search *>(opaque);
    const auto *const address = reinterpret_cast<const void *>(_Unwind_GetIP(frame)); // NOLINT(performance-*)
    if (++wanted.frames > most_frames || wanted.own.program->contains(address) ||
        wanted.own.opened.may_contain(address)) {
        return _URC_END_OF_STACK;
    }
    const std::string_view library = library_at(address);
    if (library.find(".so") == std::string_view::npos || is_one_for_all(library)) {
        return _URC_NO_REASON;
    }
    wanted.found = library;
    return _URC_END_OF_STACK;
}

} // namespace

void explain_fault(int rank, int signal, const siginfo_t &information, const void *context) {
    const hosted_rank *const hosted = this_rank();
    const char *const name = sigabbrev_np(signal);
    if (hosted == nullptr || name == nullptr) {
        return;
    }
    line text;
    text << "lisle-host: rank " << static_cast<unsigned long>(rank);
    if (architecture::has_overflowed(information, context)) {
        rlimit limit{};
        getrlimit(RLIMIT_STACK, &limit);
        text << " has overflowed its stack (ulimit -s: ";
        if (limit.rlim_cur == RLIM_INFINITY) {
            text << "unlimited, of which a thread rank gets 256 MiB and a fiber rank 64 MiB)\n";
        } else {
            text << limit.rlim_cur / 1024 << " KiB)\n";
        }
        text.print();
        return;
    }
    search wanted{rank_code.of(*hosted), {}, 0};
    _Unwind_Backtrace(&look, &wanted);
    if (!wanted.found.empty()) {
        const std::string_view stem = wanted.found.substr(0, wanted.found.find(".so"));
        text << " met SIG" << name << " in " << wanted.found
             << ", which is there once for all ranks of the process; a copy for each rank: "
                "--private-libraries '"
             << stem << ".so*', processes: --ranks process\n";
        text.print();
    }
}

} // namespace lisle::host
