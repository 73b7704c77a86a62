// SPDX-License-Identifier: Apache-2.0
// The choice of the interface through which a machine is to be reached by the others of a job, from what all
// of them say of their interfaces. Each machine chooses for itself, and all choose the same network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tcp/socket_address.hpp"
#include "tcp/tcp_interface.hpp"

namespace lisle::tcp {

/// An interface, as its machine tells the others of it. Copied as bytes.
struct told_interface {
    socket_address address{};
    std::int32_t network_bits = 0;
    std::int32_t leads_out = 0;
    std::uint32_t speed = 0; ///< Mbit/s; 0: unknown
};

/// A machine, or a part of one with a network of its own (a container).
struct told_machine {
    std::uint64_t number = 0; ///< the same for those that reach each other over the loopback interface
    std::vector<told_interface> interfaces;
};

/// What this machine tells, of these of its interfaces.
[[nodiscard]] told_machine this_machine_as_told(const std::vector<tcp_interface> &interfaces);
/// Mbit/s; of one whose speed is unknown that of an ordinary one.
[[nodiscard]] std::uint32_t speed_of(const told_interface &each) noexcept;

/// The address by which machine `own` is known. On one machine: the loopback's. On several: of a network on
/// which all are, one with default routes before others, then the fastest. An address that another machine
/// has as well, as bridges to containers do, leads nowhere. Without a common network: the default route's,
/// IPv4 first. Nothing: there is no address that others could reach.
[[nodiscard]] std::optional<socket_address> choose_address(std::span<const told_machine> machines,
                                                           std::size_t own);

/// "10.0.2.1/24": an address and the bits of its network, as socket_address::is_in() takes it.
[[nodiscard]] std::string network_text(const socket_address &address, int bits);

} // namespace lisle::tcp
