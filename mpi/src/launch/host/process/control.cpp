// SPDX-License-Identifier: Apache-2.0
// prctl: what it sets for a process is refused, what it sets for a thread is a thread rank's own.
#include "launch/host/process/fiber_name.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/real.hpp"
#include "library/host_interface.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <sys/prctl.h>
#include <sys/ptrace.h>

namespace lisle::host {

namespace {

using word = unsigned long;
const real<"prctl", int(int, word, word, word, word)> real_prctl;

constexpr std::array of_process{PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER,
                                PR_SET_MM,        PR_SET_PTRACER,  PR_SET_THP_DISABLE,
                                PR_MCE_KILL};
constexpr std::array of_thread{PR_SET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_SECUREBITS,
                               PR_CAPBSET_DROP,   PR_CAP_AMBIENT,      PR_SET_KEEPCAPS};

int control(int option, const std::array<word, 4> &words) {
    if (std::ranges::count(of_process, option) != 0) {
        return refuse_call("prctl", "one such property");
    }
    if (lisle_host_in_fiber() != 0) {
        if (option == PR_SET_NAME) {
            return name_fiber(reinterpret_cast<const char *>(words[0]));
        }
        if (std::ranges::count(of_thread, option) != 0) {
            return refuse_call("prctl", "one such property on a worker");
        }
    }
    return real_prctl(option, words[0], words[1], words[2], words[3]);
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" int prctl(int option, ...) noexcept {
    std::va_list rest;
    va_start(rest, option);
    std::array<word, 4> words{};
    for (word &each : words) {
        each = va_arg(rest, word);
    }
    va_end(rest);
    return is_call_of_rank(__builtin_return_address(0))
               ? control(option, words)
               : real_prctl(option, words[0], words[1], words[2], words[3]);
}
