// SPDX-License-Identifier: Apache-2.0
// Ports, to which other groups can connect. A port is a listening socket; its name has the address, and a
// secret that is known only with the name. [MPI-5.0 11.9.1, 11.9.2]
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/shared_secret.hpp"
#include "dynamic/link.hpp"
#include "tcp/reception.hpp"
#include "tcp/socket_address.hpp"
#include "tcp/stream.hpp"

namespace lisle::dynamic {

/// The contents of a port's name.
struct port_place {
    tcp::socket_address address;
    shared_secret secret{};

    [[nodiscard]] std::string name() const;
    /// Throws mpi_error (MPI_ERR_PORT) if the name is none of ours.
    [[nodiscard]] static port_place named(std::string_view name);
};

/// One port of the calling rank.
class port {
  public:
    /// Throws mpi_error (MPI_ERR_NO_MEM) if the system has none left.
    port();
    [[nodiscard]] std::string name() const { return port_place{reception_.address(), secret_}.name(); }
    /// Waits for a caller that knows the name; rejects others. All are heard at once.
    /// @param given_up asked now and then; throws to end the waiting
    [[nodiscard]] std::unique_ptr<leaders_link> accept(const std::function<void()> &given_up = {});

  private:
    const shared_secret secret_;
    const tcp::protection wanted_ = tcp::wanted_protection();
    tcp::reception reception_;
};

/// Connects to a port, which may be of any job. Waits until it accepts.
/// Throws mpi_error (MPI_ERR_PORT) if there is no such port, it is closed meanwhile, or accepts nobody for so
/// long.
[[nodiscard]] std::unique_ptr<leaders_link> connect_to_port(std::string_view name,
                                                            std::chrono::seconds patience);
/// The limit if the program does not set one.
inline constexpr std::chrono::seconds usual_patience{600};

} // namespace lisle::dynamic
