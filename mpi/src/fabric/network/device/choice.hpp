// SPDX-License-Identifier: Apache-2.0
// A device that a network fabric may be made of: what it is, and how it is opened.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/shared_secret.hpp"
#include "fabric/network/device/device.hpp"

namespace lisle::fabric::network {

/// The name of our own device over TCP among those of libfabric's providers.
inline constexpr std::string_view own_tcp = "lisle-tcp";
/// That of UCX.
inline constexpr std::string_view over_ucx = "ucx";

/// One device on one interface, not opened yet.
struct choice {
    std::string name;            ///< of the provider
    std::string on;              ///< interface
    std::string network;         ///< as libfabric calls it, or empty
    tcp::socket_address address; ///< of the interface, where it has one of TCP
    /// @param secret of the job: our own device talks to nobody who does not know it. Throws mpi_error.
    std::function<std::unique_ptr<device>(const shared_secret &secret)> open;
};

} // namespace lisle::fabric::network
