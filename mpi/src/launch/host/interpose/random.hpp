// SPDX-License-Identifier: Apache-2.0
// Random numbers of the C library: each rank has the state of the generators for itself, so a seed gives it
// the same sequence as in a process, whatever other ranks draw.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <cstdint>
#include <cstdlib>
#include <mutex>

namespace lisle::host {

/// The generators behind rand, random and drand48, seeded as a process finds them.
class random_state {
  public:
    random_state();
    std::int32_t draw();
    void seed(unsigned value);
    char *use(unsigned seed, char *state, std::size_t size); ///< initstate
    char *use(char *state);                                  ///< setstate

    drand48_data forty_eight{}; ///< unlocked: POSIX does not promise more for this family

  private:
    std::mutex mutex_; ///< protects the two below
    random_data data_{};
    char first_[128];
};

inline const rank_slot<random_state> rank_random;

} // namespace lisle::host
