// SPDX-License-Identifier: Apache-2.0
// What each end of a connection says first: that it is Lisle, what it wants, and the token that only those
// know who may want that. Nothing else is said before. Laid out as in memory: a machine with another order of
// bytes is refused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tcp/socket_address.hpp"

namespace lisle::tcp {

/// What is behind a socket that listens.
enum class service : std::uint32_t {
    messages = 1, ///< of the network fabric, on sockets of ours; the token is the job's secret
    port,         ///< MPI_Open_port's; the token stands in its name
    speaker,      ///< of nodes whose ranks may stand still; the token is the job's secret
};

struct greeting {
    static constexpr std::uint64_t lisle = 0x4c69736c65544350; ///< another number in another order of bytes
    /// Changes with the layout of what any service says.
    static constexpr std::uint32_t current_version = 2;
    enum class verdict : std::uint32_t {
        welcome,
        crossing, ///< the other's own connection is the one to use: it comes, or is there
    };
    std::uint64_t magic = lisle;
    std::uint32_t version = current_version;
    verdict says = verdict::welcome; ///< of an answer
    std::uint64_t token = 0;
    socket_address listens{}; ///< where the speaker is connected to, if it is
    service with{};
};
static_assert(sizeof(greeting) == 56);

/// Says the first bytes on a connection, for which the kernel has room. False: the connection has ended.
[[nodiscard]] bool say(int socket, const greeting &what) noexcept;

/// The greeting of the other end, as far as it has come.
class heard_greeting {
  public:
    enum class state : std::uint8_t { incomplete, complete, ended };
    /// Takes in what has arrived. Does not wait, and takes nothing that comes behind the greeting.
    [[nodiscard]] state hear(int socket) noexcept;
    /// Why the other end is to be sent away, as far as can be told by now; null: nothing speaks against it.
    [[nodiscard]] const char *reason_to_refuse(service with, std::uint64_t token) const noexcept;
    /// @pre it is complete, and nothing speaks against it
    [[nodiscard]] const greeting &said() const noexcept { return said_; }

  private:
    greeting said_;
    std::size_t bytes_ = 0; ///< of it, that have come
};

} // namespace lisle::tcp
