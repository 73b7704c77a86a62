// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life/allocator_limits.hpp"

#include <algorithm>
#include <climits>
#include <malloc.h>
#include <sys/resource.h>

namespace lisle::host {

void limit_arenas() noexcept {
    // glibc gives each thread an arena of its own, and reserves as much for each as its largest heap,
    // aligned.
    constexpr rlim_t of_an_arena = rlim_t{128} << 20;
    constexpr rlim_t share = 4; // of the address space: a quarter
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const rlim_t arenas = limit.rlim_cur / share / of_an_arena;
        mallopt(M_ARENA_MAX, static_cast<int>(std::clamp<rlim_t>(arenas, 1, INT_MAX)));
    }
}

} // namespace lisle::host
