// SPDX-License-Identifier: Apache-2.0
// One network interface as a process uses it: an endpoint of the provider there, the buffers that it receives
// to, and the pulse that tells whether peers are still reached by it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "fabric/network/device/device.hpp"
#include "fabric/network/rail/buffers.hpp"
#include "fabric/network/rail/pulse.hpp"
#include "tcp/socket_address.hpp"

namespace lisle::fabric::network {

/// Not thread-safe: used with the fabric's lock held.
class rail {
  public:
    /// @param number of the rail, which its receive buffers carry @param sends the memory that frames are
    /// sent from
    /// @param secret of the job @param silence see pulse
    rail(std::unique_ptr<device> opened, std::size_t number, std::span<std::byte> sends,
         std::size_t receive_count, std::size_t buffer_bytes, const shared_secret &secret,
         std::chrono::seconds silence)
        : device_{std::move(opened)}, receives_{operation::kind::receive, receive_count, buffer_bytes},
          pulse_{device_->traits().pulse_interface, secret, silence} {
        device_->use_memory(sends);
        device_->use_memory(receives_.memory());
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
        device_->close();
    }

    [[nodiscard]] device &endpoint() noexcept { return *device_; }
    [[nodiscard]] const device &endpoint() const noexcept { return *device_; }
    [[nodiscard]] pulse &watched() noexcept { return pulse_; }
    [[nodiscard]] const pulse &watched() const noexcept { return pulse_; }

    /// The provider has room for as many receives as there are buffers; one that it does not take is lost to
    /// us, not to the job.
    void receive_to(buffer &in) noexcept {
        if (open_) {
            static_cast<void>(device_->receive(in.room, in));
        }
    }

  private:
    std::unique_ptr<device> device_;
    buffer_pool receives_;
    pulse pulse_;
    bool open_ = true;
};

} // namespace lisle::fabric::network
