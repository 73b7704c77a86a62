// SPDX-License-Identifier: Apache-2.0
// One network interface as a process uses it: an endpoint of the provider there, the buffers that it receives
// to, and the pulse that tells whether peers are still reached by it.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "fabric/ofi/buffers.hpp"
#include "fabric/ofi/device.hpp"
#include "fabric/ofi/pulse.hpp"
#include "fabric/ofi/socket_address.hpp"

namespace lisle::fabric::ofi {

/// The address of the provider's interface, where it has one that TCP can use.
[[nodiscard]] inline socket_address interface_of(const fi_info &info) noexcept {
    if (info.src_addr != nullptr &&
        (info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6)) {
        return {static_cast<const sockaddr *>(info.src_addr), info.src_addrlen};
    }
    constexpr sockaddr_in any{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {INADDR_ANY}, .sin_zero = {}};
    return {reinterpret_cast<const sockaddr *>(&any), sizeof any};
}

/// Not thread-safe: used with the fabric's lock held.
class rail {
  public:
    /// @param number of the rail, which its receive buffers carry @param silence see pulse
    rail(provider chosen, std::size_t number, buffer_pool &sends, std::size_t receive_count,
         std::size_t buffer_bytes, std::chrono::seconds silence)
        : device_{std::move(chosen)}, receives_{operation::kind::receive, receive_count, buffer_bytes},
          sends_registered_{device_.register_local(sends.memory())},
          receives_registered_{device_.register_local(receives_.memory())}, pulse_{
                                                                                interface_of(device_.info()),
                                                                                silence} {
        while (receives_.available() != 0) {
            buffer &next = receives_.take();
            next.rail = number;
            receive_to(next);
        }
    }

    [[nodiscard]] bool is_open() const noexcept { return open_; }
    /// Nothing goes by this rail any more, and what the provider has of it is forgotten: it touches no memory
    /// from now on. The memory of what was received stays.
    void close() noexcept {
        open_ = false;
        pulse_.retire();
        sends_registered_ = {};
        receives_registered_ = {};
        device_.close();
    }

    [[nodiscard]] device &endpoint() noexcept { return device_; }
    [[nodiscard]] const device &endpoint() const noexcept { return device_; }
    [[nodiscard]] pulse &watched() noexcept { return pulse_; }
    [[nodiscard]] const pulse &watched() const noexcept { return pulse_; }
    /// What sends of the fabric's buffers need on this rail.
    [[nodiscard]] void *send_descriptor() const noexcept { return sends_registered_.descriptor(); }

    /// The provider has room for as many receives as there are buffers; one that it does not take is lost to
    /// us, not to the job.
    void receive_to(buffer &in) noexcept {
        if (open_) {
            static_cast<void>(device_.receive(in.room, receives_registered_.descriptor(), in));
        }
    }

  private:
    device device_;
    buffer_pool receives_;
    registration sends_registered_;
    registration receives_registered_;
    pulse pulse_;
    bool open_ = true;
};

} // namespace lisle::fabric::ofi
