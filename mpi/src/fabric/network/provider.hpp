// SPDX-License-Identifier: Apache-2.0
// Which device, on which network interface, carries a job's packets: one of libfabric's providers, UCX, or
// TCP sockets of ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fabric/network/device/choice.hpp"
#include "fabric/network/ofi/hardware.hpp"

namespace lisle::fabric::network {

/// What the user asks for. Empty: the best.
struct provider_request {
    std::string names; ///< providers, separated by commas, the preferred one first: "verbs;ofi_rxm,lisle-tcp"
    std::string
        interface; ///< network interface, or the network's address, or several: "eth1", "10.0.2.0/24,eth0"
    bool everywhere =
        false; ///< our own device listens on all interfaces: different peers may come by different ones
    std::string kinds_of_devices = network::kinds_of_devices; ///< for tests: where Linux lists the hardware
};

/// A device on an interface, and whether a job uses it.
struct judged_choice {
    choice device;
    std::string against; ///< why not; empty: it is used
};
/// What there is, and what becomes of it.
struct judged_choices {
    std::vector<judged_choice> choices; ///< those that are used first, the preferred one at the front
    std::string libfabric;              ///< why it has offered nothing; empty: it was asked
    std::string problem;                ///< why nothing can be used, or too little; empty: there is none
};

/// How choose_providers decides. Throws mpi_error if the user names providers of libfabric and it has none.
[[nodiscard]] judged_choices judge_providers(const provider_request &wanted);

/// The provider that a job uses, and after it those on the further interfaces that the user names (further
/// rails). Throws mpi_error (MPI_ERR_OTHER) with what there is if nothing suits, or not on each interface.
/// libfabric is asked for the providers that the user names, and where the machine has hardware that only it
/// reaches; where it is not there, or was not when Lisle was built, our own device is.
[[nodiscard]] std::vector<choice> choose_providers(const provider_request &wanted);

/// How much a provider is preferred where the user has not said: the smaller, the more. Hardware comes first,
/// then TCP of our own, then what emulates.
[[nodiscard]] int rank_of_provider(std::string_view name) noexcept;

} // namespace lisle::fabric::network
