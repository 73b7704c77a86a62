// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace lisle::protocol {

/// Ends the process because of a packet that cannot be true. @param what it does, as the rest of a sentence
[[noreturn, gnu::cold]] inline void refuse(const char *what, unsigned long long value) {
    std::fprintf(stderr,
                 "lisle: a packet from another process %s (%llu): the job's shared memory is damaged or "
                 "its processes use different versions of Lisle\n",
                 what, value);
    std::abort();
}

} // namespace lisle::protocol
