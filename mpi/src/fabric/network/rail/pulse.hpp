// SPDX-License-Identifier: Apache-2.0
// How a process learns that a peer has ended or was cut off, though nothing is sent: providers of reliable
// datagrams go on connecting to a dead process for ever. Each process listens on a port; a process that
// exchanges packets with it keeps one connection there, on which both have proven that they know the job's
// secret. It carries nothing but a last word before an end that is no failure. The kernels keep it alive
// whatever the processes do: it ends with the process, or when the other machine has been silent for too
// long. A process that computes answers no greeting, so one whose caller was not answered yet counts as alive
// as long as its port is there.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "base/shared_secret.hpp"
#include "tcp/greeting.hpp"
#include "tcp/reception.hpp"
#include "tcp/socket_address.hpp"

namespace lisle::fabric::network {

class pulse {
  public:
    /// @param interface whose address peers connect to @param secret of the job @param silence how long a
    /// machine may be silent, in whole seconds
    pulse(const tcp::socket_address &interface, const shared_secret &secret, std::chrono::seconds silence);

    /// Where peers connect to; none if the system allows no such port.
    [[nodiscard]] const tcp::socket_address &address() const noexcept { return reception_.address(); }
    /// Begins to watch a peer. Waits only for the kernels, and not for long.
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
    /// A peer as this process watches it.
    struct watched {
        owned_descriptor link; ///< none: it has ended, or was never watched
        tcp::socket_address at;
        std::optional<tcp::greeting> greeted;
        int calls = 0;        ///< that were made to it
        bool is_told = false; ///< a word has come already when it was called
    };
    /// A peer that watches this process.
    struct watcher {
        owned_descriptor link;
        tcp::greeting greeted;
    };

    [[nodiscard]] bool call(std::size_t at) noexcept;
    void wait_for_events(std::uint64_t number, int link, std::uint32_t which, int how) noexcept;
    void hang_up(owned_descriptor &link) noexcept;
    [[nodiscard]] std::optional<cause> hear(std::size_t at) noexcept;
    [[nodiscard]] std::optional<cause> call_again(std::size_t at) noexcept;
    void take_watchers() noexcept;
    void say_to_all(tcp::greeting::word last) noexcept;

    const tcp::greeter self_;
    tcp::reception reception_;
    owned_descriptor events_;
    std::chrono::seconds silence_;
    std::vector<watched> peers_; ///< by process
    std::unordered_map<std::uint64_t, watcher> watchers_;
    std::uint64_t next_watcher_; ///< its number
    std::optional<tcp::greeting::word>
        last_word_; ///< farewell or retired: said to all, and to who comes from now on
};

} // namespace lisle::fabric::network
