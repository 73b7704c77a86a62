// SPDX-License-Identifier: Apache-2.0
#include "launch/host/rank/calls.hpp"

#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/own_code.hpp"
#include "launch/host/rank/refusal.hpp"

#include <cerrno>
#include <cstdio>

namespace lisle::host {

bool is_call_of_rank(const void *caller) noexcept {
    return this_rank() != nullptr && !is_own_code(caller) && !in_child();
}

int refuse_call(const char *call, const char *have) noexcept {
    std::fprintf(stderr,
                 "lisle-host: rank %d: %s: %s ranks of a process have %s; run the program as processes: "
                 "--ranks process\n",
                 this_rank()->number, call, kind_of_ranks, have);
    errno = ENOTSUP;
    return -1;
}

} // namespace lisle::host
