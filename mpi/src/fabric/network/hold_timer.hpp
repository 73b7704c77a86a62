// SPDX-License-Identifier: Apache-2.0
// Bounds how long messages are held that wait for further ones: a program may compute for long before its
// next call. A thread of its own, which begins with the first message that is held and otherwise sleeps.
#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "base/owned_descriptor.hpp"

namespace lisle::fabric::network {

/// start() by one thread at a time.
class hold_timer {
  public:
    /// @param run called by the timer's thread
    explicit hold_timer(std::function<void()> run) noexcept : run_{std::move(run)} {}
    hold_timer(const hold_timer &) = delete;
    hold_timer &operator=(const hold_timer &) = delete;
    ~hold_timer() { stop(); }

    /// run() comes once, a millisecond from now. False: the system has no thread or timer for that.
    [[nodiscard]] bool start() noexcept;
    /// run() comes no more.
    void stop() noexcept;

  private:
    [[nodiscard]] bool begin() noexcept;

    std::function<void()> run_;
    owned_descriptor timer_;
    owned_descriptor end_; ///< readable: the thread is to end
    std::thread thread_;
};

} // namespace lisle::fabric::network
