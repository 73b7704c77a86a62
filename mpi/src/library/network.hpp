// SPDX-License-Identifier: Apache-2.0
// The network in a job of several nodes: what processes tell each other before they can use it, and the
// fabric. One of the steps that process.cpp takes; apart, because only such jobs take it.
#pragma once

#include <memory>

#include "base/shared_secret.hpp"
#include "execution/traffic_count.hpp"
#include "fabric/fabric.hpp"
#include "fabric/joining.hpp"
#include "fabric/network/provider.hpp"
#include "fabric/routes.hpp"
#include "library/network_ways.hpp"
#include "tcp/socket_address.hpp"
#include "world/bootstrap.hpp"

namespace lisle::fabric::network {
class network_fabric;
}

namespace lisle {

/// What the user has chosen of networks, in the settings. Throws mpi_error (MPI_ERR_OTHER) where they
/// contradict each other.
[[nodiscard]] fabric::network::provider_request wanted_network();

/// Puts what the others need before they can make their fabrics. Before the first fence.
/// @return of a node's first process: its part in finding how nodes reach each other; null for others
[[nodiscard]] std::unique_ptr<network_trial> announce_network(bootstrap &start);
/// The fabric to the ranks of other nodes, after the first fence and before the second one; its address is
/// put. Reads LISLE_NETWORK_PROVIDER and LISLE_NETWORK_INTERFACE. Throws mpi_error (MPI_ERR_OTHER) with the
/// way out if this machine has no network to use.
/// @param start outlives the fabric @param traffic what it counts; outlives it
[[nodiscard]] std::unique_ptr<fabric::fabric> make_network_fabric(bootstrap &start, traffic_count &traffic);
/// The fabric of processes of several jobs that meet. Its ranks have numbers in the order of the processes.
/// @param where address by process. Throws like the one above.
[[nodiscard]] std::unique_ptr<fabric::network::network_fabric>
make_fabric_between_jobs(const fabric::introduction &all, fabric::address_lookup where);
/// The job's secret. After the first fence. Throws mpi_error.
[[nodiscard]] shared_secret network_secret(bootstrap &start);
/// The interface of the network among these routes; none if TCP knows no such interface.
[[nodiscard]] tcp::socket_address network_interface(const fabric::routes &routes);

/// Connects to those processes that cannot connect to this one, or cannot be connected to; or to all that are
/// reached over a network, so that the end of each is noticed, also of one that nobody has sent anything yet.
/// After the second fence.
void connect_at_start(const fabric::routes &routes, bootstrap &start, bool to_all);

} // namespace lisle
