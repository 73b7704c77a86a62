// SPDX-License-Identifier: Apache-2.0
// The library's part of the host's interface (library/host_interface.h), played: no rank runs, time is
// simulated, and a test says what happens while a fiber lets others run.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <cstdint>
#include <functional>

namespace played {

inline bool in_fiber = false;           ///< whether the calling thread counts as a fiber
inline std::int64_t now = 0;            ///< nanoseconds of simulated time
inline int rests = 0;                   ///< how often a fiber has let others run
inline std::function<void()> meanwhile; ///< what others do then, if anything

inline std::function<void()> bell; ///< what ringing a fiber's bell does, if anything

/// The calling thread counts as one of this rank's for as long as the object lives.
class as_rank {
  public:
    explicit as_rank(lisle::host::hosted_rank &rank) { lisle::host::architecture::notes().rank = &rank; }
    ~as_rank() { lisle::host::architecture::notes().rank = nullptr; }
    as_rank(const as_rank &) = delete;
    as_rank &operator=(const as_rank &) = delete;
};

/// The calling thread counts as a fiber for as long as the object lives.
class as_fiber {
  public:
    as_fiber() {
        in_fiber = true;
        rests = 0;
    }
    ~as_fiber() {
        in_fiber = false;
        meanwhile = nullptr;
    }
    as_fiber(const as_fiber &) = delete;
    as_fiber &operator=(const as_fiber &) = delete;
};

} // namespace played
