// SPDX-License-Identifier: Apache-2.0
// By which of their addresses the nodes of a job reach each other. Each node's first process tells the
// addresses, tries to connect to all other machines, and tells by which path it got there; so later no
// process tries what is blocked, and where one direction is blocked the other side connects.
#pragma once

#include <optional>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "tcp/common_network.hpp"
#include "tcp/paths.hpp"
#include "world/bootstrap.hpp"

namespace lisle {

/// True if it is Lisle that chooses among interfaces here: our own device is used, on at most one that the
/// user names.
[[nodiscard]] bool chooses_interface();

/// The machine's interfaces, as they are told, of which the user may have named one.
[[nodiscard]] tcp::told_machine this_machine();

/// The part of a node's first process while the job starts.
class network_trial {
  public:
    /// Tells the addresses, and lets others try them. Before the first fence.
    explicit network_trial(bootstrap &start);
    /// Tries to reach the others, and tells how. Between the first fence and the second one, after which this
    /// may go.
    void try_all();

  private:
    bootstrap &start_;
    owned_descriptor listener_; ///< takes nobody: the kernel answers
};

/// How a process connects to those of other nodes. After the first fence; the ways themselves after the
/// second.
/// @pre calls take turns
class network_ways {
  public:
    /// Throws mpi_error (MPI_ERR_OTHER) if the nodes are not of one version.
    explicit network_ways(bootstrap &start);

    [[nodiscard]] const std::vector<tcp::told_machine> &machines() const noexcept { return machines_; }
    /// The address by which this machine is known; none: others cannot reach it.
    [[nodiscard]] std::optional<tcp::socket_address> own_address() const {
        return tcp::choose_address(machines_, own_);
    }
    /// True if different peers may come by different interfaces.
    [[nodiscard]] bool has_choice() const;
    [[nodiscard]] const tcp::way &to_process(int process);

  private:
    [[nodiscard]] tcp::way find(std::size_t node) const;

    bootstrap &start_;
    std::vector<tcp::told_machine> machines_;      ///< by node
    std::size_t own_;                              ///< node
    std::vector<std::optional<tcp::way>> by_node_; ///< as far as somebody has asked
};

} // namespace lisle
