// SPDX-License-Identifier: Apache-2.0
// Ending connections to a machine that has gone silent. A provider over TCP goes on trying for a quarter of
// an hour to reach it, and so long it keeps the memory of all operations with it; libfabric has no call that
// ends them. Its sockets to there are shut down instead, and the provider ends what they carried with errors.
#pragma once

#include "tcp/socket_address.hpp"

namespace lisle::fabric::network {

/// Shuts down this process's TCP connections between an endpoint of its own and one of a silent machine:
/// those that lead to the peer's port, and those that came in at the own one from the peer's machine. The
/// sockets stay open: they are the provider's to close. @param own @param peer the endpoints' addresses, with
/// ports
void sever_connections(const tcp::socket_address &own, const tcp::socket_address &peer) noexcept;

} // namespace lisle::fabric::network
