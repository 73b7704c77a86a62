// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "communicator/group.hpp"

namespace lisle::protocol {

/// One message space as one rank sees it: the context that keeps its messages apart from all others,
/// and who its peers are. A communicator has two: one for the user, one for collectives.
struct channel {
    std::uint64_t context = 0;
    /// The calling rank's own rank in the communicator: what receivers see as the source.
    int self = 0;
    /// The group that destinations and sources are ranks of (the remote one of an
    /// inter-communicator). Owned by the communicator.
    const group *peers = nullptr;
};

} // namespace lisle::protocol
