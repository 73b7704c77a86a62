// SPDX-License-Identifier: Apache-2.0
// What a Sender thread (protocol/device_threads.hpp) asks of a fabric that leaves packets to it.
#pragma once

#include <cstdint>
#include <functional>

namespace lisle::fabric {

/// What a Sender thread has come upon in a fabric.
enum class send_step : std::uint8_t {
    sent,    ///< a packet, or several: ask again
    nothing, ///< no packet waits
    no_room, ///< packets wait for room
};

/// Thread-safe.
class deferred_sending {
  public:
    /// From now on publish() may leave packets to send_some(), which a Sender thread calls; an empty function
    /// ends that. @param call wakes the Sender: called, perhaps with locks held, when something has come to
    /// wait or there is room again; calls nothing of the fabric
    virtual void leave_sending_to(const std::function<void()> &call) = 0;
    /// Sends some of what waits: peers in turn, and none that has no room holds up the others.
    [[nodiscard]] virtual send_step send_some() noexcept = 0;

  protected:
    ~deferred_sending() = default;
};

} // namespace lisle::fabric
