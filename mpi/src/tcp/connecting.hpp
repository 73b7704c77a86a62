// SPDX-License-Identifier: Apache-2.0
// Beginning connections of TCP: listening, taking callers, connecting. Nothing here waits but what says so in
// its name. Sockets do not block, and are closed in programs that this one starts.
#pragma once

#include <chrono>

#include "base/owned_descriptor.hpp"
#include "tcp/socket_address.hpp"

namespace lisle::tcp {

/// Listens at an address, at some port if it names none. None, with errno: the system does not let it.
[[nodiscard]] owned_descriptor listen_at(const socket_address &where) noexcept;
/// All interfaces of this machine, with IPv4 and, where the machine has it, IPv6.
[[nodiscard]] socket_address any_address() noexcept;
/// The next caller. None, with errno: nobody calls, or the system has no socket left.
[[nodiscard]] owned_descriptor next_caller(const owned_descriptor &listener) noexcept;

struct begun_connection {
    owned_descriptor socket; ///< none: the system has none left, or not at that interface
    int failure = 0;         ///< as of errno; 0: it is there, or on its way
};
/// @param from an interface, without a port; without an address the system chooses one
[[nodiscard]] begun_connection begin_connecting(const socket_address &to,
                                                const socket_address &from = {}) noexcept;
/// Of a connection that was on its way, once its socket can be written to: 0, or what errno would say.
[[nodiscard]] int failure_of(int socket) noexcept;
/// Waits for one that is on its way, as long as the kernel tries. False: it came to nothing.
[[nodiscard]] bool wait_connected(int socket) noexcept;

/// True if the socket takes something, as it does once a connection is there or has come to nothing.
[[nodiscard]] bool is_writable(int socket) noexcept;
/// Waits for that. False: there will be none.
[[nodiscard]] bool wait_writable(int socket) noexcept;
/// Waits for that, no longer than so. False: not yet.
[[nodiscard]] bool wait_writable(int socket, std::chrono::milliseconds longest) noexcept;
/// True if something can be read from the descriptor, or it has come to its end.
[[nodiscard]] bool is_readable(int descriptor) noexcept;
/// True if the peer has closed the connection and all that it had said is received.
[[nodiscard]] bool has_ended(int socket) noexcept;

/// Lets the kernel ask from time to time whether the other machine is there.
void keep_alive(int socket) noexcept;
/// Lets the kernel end a connection whose other machine is silent. False: it does not do that.
[[nodiscard]] bool end_when_silent(int socket, std::chrono::seconds silence) noexcept;

} // namespace lisle::tcp
