// SPDX-License-Identifier: Apache-2.0
// Which of two ways is faster for a message that could go either, found by trying: how long both take depends
// on where the cores lie, which changes while a job runs (on virtual machines at least), and on nothing that
// could be asked. Used by the holder of an engine's lock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace lisle::protocol {

class path_choice {
  public:
    enum way : unsigned char { joint, stream };
    using clock = std::chrono::steady_clock;

    /// The way for the next message: the one that has been faster, now and then the other.
    [[nodiscard]] way next() noexcept {
        const bool joint_is_slower = cost_[joint] > cost_[stream];
        const bool try_the_slower = ++messages_ % messages_between_tries == 0;
        return joint_is_slower != try_the_slower ? stream : joint;
    }
    /// A message begins to move. One is measured at a time.
    void begin(const void *message, way taken, clock::time_point now = clock::now()) noexcept {
        if (measured_ == nullptr) {
            measured_ = message;
            taken_ = taken;
            begun_ = now;
        }
    }
    /// It has moved.
    void end(const void *message, std::uint64_t bytes) noexcept {
        if (measured_ == message && bytes != 0) {
            end(bytes, clock::now());
        }
    }
    /// The measured one has moved.
    void end(std::uint64_t bytes, clock::time_point now) noexcept {
        measured_ = nullptr;
        const std::chrono::duration<double, std::nano> spent = now - begun_;
        const double cost = spent.count() / static_cast<double>(bytes);
        double &known = cost_[taken_];
        // A peer that was away for long says nothing about the way: one sample may at most double the cost.
        known = known == 0 ? cost : known + (std::min(cost, 2 * known) - known) / 4;
    }

  private:
    static constexpr unsigned messages_between_tries = 64;

    double cost_[2] = {0, 0}; ///< nanoseconds for a byte; 0: not tried yet
    const void *measured_ = nullptr;
    way taken_ = joint;
    clock::time_point begun_;
    unsigned messages_ = 0;
};

} // namespace lisle::protocol
