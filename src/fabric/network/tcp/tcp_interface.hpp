// SPDX-License-Identifier: Apache-2.0
// The interfaces of this machine that TCP can use.
#pragma once

#include <string>
#include <vector>

#include "fabric/network/socket_address.hpp"

namespace lisle::fabric::network {

struct tcp_interface {
    std::string name;       ///< "eth0"
    socket_address address; ///< without a port
};

/// Those that are up, one for each address: IPv4 first, the fastest first. Link-local IPv6 addresses are left
/// out: what they mean depends on the machine.
[[nodiscard]] std::vector<tcp_interface> tcp_interfaces();

} // namespace lisle::fabric::network
