// SPDX-License-Identifier: Apache-2.0
// Which device, on which network interface, carries a job's packets: one of libfabric's providers, or TCP
// sockets of ours.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/network/device.hpp"
#include "fabric/network/hardware.hpp"
#include "fabric/network/socket_address.hpp"

namespace lisle::fabric::network {

/// The name of our own device over TCP among those of libfabric's providers.
inline constexpr std::string_view own_tcp = "lisle-tcp";

/// One device on one interface, not opened yet.
struct choice {
    std::string name;       ///< of the provider
    std::string on;         ///< interface
    std::string network;    ///< as libfabric calls it, or empty
    socket_address address; ///< of the interface, where it has one of TCP
    /// @param secret of the job: our own device talks to nobody who does not know it. Throws mpi_error.
    std::function<std::unique_ptr<device>(std::uint64_t secret)> open;
};

/// What the user asks for. Empty: the best.
struct provider_request {
    std::string names; ///< providers, separated by commas, the preferred one first: "verbs;ofi_rxm,lisle-tcp"
    std::string
        interface; ///< network interface, or the network's address, or several: "eth1", "10.0.2.0/24,eth0"
    std::string kinds_of_devices = network::kinds_of_devices; ///< for tests: where Linux lists the hardware
};

/// The provider that a job uses, and after it those on the further interfaces that the user names (further
/// rails). Throws mpi_error (MPI_ERR_OTHER) with what there is if nothing suits, or not on each interface.
/// libfabric is asked for the providers that the user names, and where the machine has hardware that only it
/// reaches; where it is not there, or was not when Lisle was built, our own device is.
[[nodiscard]] std::vector<choice> choose_providers(const provider_request &wanted);

/// How much a provider is preferred where the user has not said: the smaller, the more. Hardware comes first,
/// then TCP of our own, then what emulates.
[[nodiscard]] int rank_of_provider(std::string_view name) noexcept;

} // namespace lisle::fabric::network
