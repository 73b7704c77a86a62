// SPDX-License-Identifier: Apache-2.0
// Whom an algorithm runs among.
#pragma once

#include "communicator/communicator.hpp"

namespace lisle::collective {

class collective_area;

/// Those among whom an algorithm runs, as the calling rank sees them: all of an intra-communicator, the
/// local group of an inter-communicator, or the other group of one (`rank` is still that in the own group).
struct team {
    const protocol::channel *channel = nullptr;
    int rank = 0;
    int size = 0;
    bool member = true;                ///< the calling rank is one of them
    collective_area *shared = nullptr; ///< what they share, for algorithms that need it
    /// For a part of a group: the ranks in the group of its members. Null: all of the group. Needed only
    /// while a schedule is built.
    const int *ranks = nullptr;
};

/// The calling rank's own group: every member of an intra-communicator.
[[nodiscard]] inline team own_group(const communicator &comm) noexcept {
    return {&comm.local_collective, comm.rank(), comm.size()};
}

/// The other group of an inter-communicator. @pre comm.inter()
[[nodiscard]] inline team other_group(const communicator &comm) noexcept {
    return {&comm.collective, comm.rank(), comm.peer_count(), false};
}

} // namespace lisle::collective
