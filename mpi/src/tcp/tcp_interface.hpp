// SPDX-License-Identifier: Apache-2.0
// The interfaces of this machine that TCP can use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tcp/socket_address.hpp"

namespace lisle::tcp {

struct tcp_interface {
    std::string name;       ///< "eth0"
    socket_address address; ///< without a port
    int network_bits = 0;   ///< how many of its first bits name its network
    bool leads_out = false; ///< has a default route: cables lead from it, not to containers of this machine
    long speed = 0;         ///< Mbit/s; 0: unknown
};

/// Those that are up, one for each address: IPv4 first, those with a default route first, the fastest first.
/// Link-local IPv6 addresses are left out: what they mean depends on the machine.
[[nodiscard]] std::vector<tcp_interface> tcp_interfaces();
/// Those of them that a list of names or networks asks for ("10.0.2.0/24,eth0"), in the order of the list;
/// all if it is empty.
[[nodiscard]] std::vector<tcp_interface> tcp_interfaces_named(std::string_view list);

} // namespace lisle::tcp
