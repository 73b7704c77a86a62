// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace lisle::protocol {

/// Ends the process because of a packet that cannot be true.
/// @param peer who has sent it @param what it does, as the rest of a sentence
[[noreturn, gnu::cold]] inline void refuse(int peer, const char *what, unsigned long long value) {
    std::fprintf(stderr,
                 "lisle: a packet from rank %d %s (%llu): that rank's memory is damaged, or the job's "
                 "processes use different versions of Lisle\n",
                 peer, what, value);
    std::abort();
}

} // namespace lisle::protocol
