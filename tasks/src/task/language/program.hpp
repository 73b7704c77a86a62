// SPDX-License-Identifier: Apache-2.0
// A program that a rank has loaded.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>

#include "task/language/code.hpp"

namespace lisle::tasks {

struct record;

struct program_state {
    std::uint64_t number = 0; ///< gateway rank << 32 | count
    code text;
    /// Nothing of it begins any more. Relaxed: what has begun already would end as well.
    std::atomic<bool> is_cancelled{false};
    bool is_forgotten =
        false; ///< kept only for what a rank that has died left behind; under the table's lock
    // On the gateway only:
    std::set<int> loading;    ///< ranks that have yet to load it; the rank's own thread
    bool is_taken = false;    ///< its result has been; the rank's own thread
    bool is_over = false;     ///< cancelled, and nothing of it is left; the rank's own thread
    record *root = nullptr;   ///< counts what the program waits for
    bool is_complete = false; ///< under the program table's lock
    value result;
};

} // namespace lisle::tasks
