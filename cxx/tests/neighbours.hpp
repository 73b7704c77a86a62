// SPDX-License-Identifier: Apache-2.0
// The ranks beside the calling one, in a ring.
#pragma once

#include <lisle/lisle.hpp>

inline const lisle::communicator world = lisle::world();

inline int next_rank() {
    return (world.rank() + 1) % world.size();
}
inline int previous_rank() {
    return (world.rank() + world.size() - 1) % world.size();
}
