// SPDX-License-Identifier: Apache-2.0
// How a process learns that a peer has ended or was cut off, though nothing is sent: providers of reliable
// datagrams go on connecting to a dead process for ever. Each process listens on a port that it never reads
// from; a process that exchanges packets with it keeps one connection there. It carries nothing but a
// last word, one byte before an end that is no failure. The kernels keep it alive whatever the processes do:
// it ends with the process, or when the other machine has been silent for too long. Since the listener never
// reads there are no greetings: a stranger learns nothing and can say nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "tcp/socket_address.hpp"

namespace lisle::fabric::network {

class pulse {
  public:
    /// @param interface whose address peers connect to @param silence how long a machine may be silent, in
    /// whole seconds
    pulse(const tcp::socket_address &interface, std::chrono::seconds silence);

    /// Where peers connect to; none if the system allows no such port.
    [[nodiscard]] tcp::socket_address address() const noexcept;
    /// Begins to watch a peer. Does not wait.
    void watch(int process, const tcp::socket_address &address);
    /// Tells those who watch this process, and those who begin to later, that its end will be no failure.
    void say_farewell() noexcept;
    /// This process goes on, but not by this interface: tells those who watch it, and those who begin to
    /// later, and watches nobody any more.
    void retire() noexcept;
    enum class cause : std::uint8_t {
        farewell, ///< it has left
        retired,  ///< it is to be reached by other interfaces
        silence,  ///< nothing comes from its interface
        death,    ///< its process has ended
    };
    struct end {
        int process;
        cause why;
    };
    /// Peers that have ended, or said farewell, since the last call.
    [[nodiscard]] std::vector<end> ended();
    /// Readable when ended() has something to tell; -1: never.
    [[nodiscard]] int descriptor() const noexcept { return events_.get(); }

  private:
    void accept_all() noexcept;
    void say_to_all(cause why) noexcept;

    owned_descriptor listener_;
    owned_descriptor events_;
    std::chrono::seconds silence_;
    std::vector<owned_descriptor> links_; ///< by process: the connection to it, if there is one
    std::vector<owned_descriptor> taken_; ///< connections from peers: kept open, never read
    std::optional<cause> last_word_;      ///< farewell or retired: said to all, and to who comes from now on
};

} // namespace lisle::fabric::network
