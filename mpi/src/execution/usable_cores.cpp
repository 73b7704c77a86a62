// SPDX-License-Identifier: Apache-2.0
#include "execution/usable_cores.hpp"

#include <algorithm>
#include <sched.h>

namespace lisle {

int usable_cores() noexcept {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

} // namespace lisle
