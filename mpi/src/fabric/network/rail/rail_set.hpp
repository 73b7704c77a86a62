// SPDX-License-Identifier: Apache-2.0
// The rails of a process, one for each interface, in one order in all processes: the n-th of one is joined to
// the n-th of the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/network/device/choice.hpp"
#include "fabric/network/rail/rail.hpp"

namespace lisle::fabric::network {

/// Used with the fabric's lock held, but for dropped().
class rail_set {
  public:
    static constexpr std::size_t receive_buffers = 64; ///< of each rail

    /// @param sends the memory that frames are sent from @param buffer_bytes of what is received
    /// @param silence see pulse
    rail_set(const std::vector<choice> &chosen, const shared_secret &secret, std::span<std::byte> sends,
             std::size_t buffer_bytes, std::chrono::seconds silence);
    rail_set(const rail_set &) = delete;
    rail_set &operator=(const rail_set &) = delete;
    ~rail_set() = default;
    /// Nothing touches any buffer or memory of a copy from now on.
    void close() noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] rail &operator[](std::size_t number) noexcept { return *all_[number]; }
    [[nodiscard]] const device_traits &traits_of_first() const noexcept {
        return all_.front()->endpoint().traits();
    }
    /// What peers are told, for their join().
    [[nodiscard]] endpoint_address address() const;
    /// Joins each rail that is open to the peer's, and watches the peer there.
    /// @param by of the rails over TCP @param silence see pulse
    /// @return by rail, no_peer where they do not meet; empty: they meet nowhere
    [[nodiscard]] std::vector<peer_number> join(int process, std::span<const std::byte> address,
                                                const tcp::way &by, std::chrono::seconds silence);

    /// A buffer that is not needed any more takes the next frame.
    void receive_again(buffer &in) noexcept { all_[in.rail]->receive_to(in); }
    /// Tells all peers that the end of this process is no failure.
    void say_farewell() noexcept;

    /// What becomes readable when something arrives or a peer ends.
    [[nodiscard]] std::vector<int> descriptors() const;
    /// True if these may be waited for.
    [[nodiscard]] bool may_wait() noexcept;

    /// The providers and their interfaces, for messages: "net on eth0".
    [[nodiscard]] std::string description() const;
    /// Connections and the like that the devices have dropped.
    [[nodiscard]] std::uint64_t dropped() const noexcept;

  private:
    std::vector<std::unique_ptr<rail>> all_;
};

} // namespace lisle::fabric::network
