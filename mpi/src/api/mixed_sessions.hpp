// SPDX-License-Identifier: Apache-2.0
// Objects that come from two sessions, in one call (LISLE_CHECK): they must not be mixed [MPI-5.0 11.3.1].
#pragma once

#include <cstdint>
#include <span>

#include "base/checks.hpp"
#include "mpi.h"

namespace lisle::abi {

[[gnu::cold]] void report_mixed_sessions(std::uint64_t one, std::uint64_t other);

/// Names them if they are two. @param one,other the numbers of sessions (communicator/session.hpp); 0: none
inline void look_at_sessions(std::uint64_t one, std::uint64_t other) {
    if (one != other && one != 0 && other != 0 && checks(check_level::cheap)) [[unlikely]] {
        report_mixed_sessions(one, other);
    }
}

/// The same for those that the requests' communicators come from.
void look_at_sessions(std::span<const MPI_Request> requests);

} // namespace lisle::abi
