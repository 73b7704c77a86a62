// SPDX-License-Identifier: Apache-2.0
// A program that a rank has loaded.
#pragma once

#include <cstdint>

#include "task/language/code.hpp"

namespace lisle::tasks {

struct program_state {
    std::uint64_t number = 0; ///< gateway rank << 32 | count
    code text;
    // On the gateway only:
    int acknowledged = 0;     ///< ranks that have loaded it; the rank's own thread
    bool is_complete = false; ///< under the program table's lock
    value result;
};

} // namespace lisle::tasks
