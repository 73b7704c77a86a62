// SPDX-License-Identifier: Apache-2.0
// Which of two paths is faster for a message that could go either, found by trying: how long both take
// depends on where the cores lie, which changes while a job runs (on virtual machines at least), and on
// nothing that could be asked. Used by the holder of an engine's lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "execution/clock.hpp"

namespace lisle::protocol {

class path_choice {
  public:
    enum path : unsigned char { cooperative, stream };

    /// The path of the next message: the one that has been faster, now and then the other.
    [[nodiscard]] path next() noexcept {
        const bool copy_is_slower = cost_[cooperative] > cost_[stream];
        const bool try_the_slower = ++messages_ % messages_between_tries == 0;
        return copy_is_slower != try_the_slower ? stream : cooperative;
    }
    /// A message begins to move. One is measured at a time.
    /// @param now nanoseconds of the job's clock
    void begin(const void *message, path taken, std::int64_t now) noexcept {
        if (measured_ == nullptr) {
            measured_ = message;
            taken_ = taken;
            begun_ = now;
        }
    }
    /// It has moved.
    void end(const void *message, std::uint64_t bytes, job_clock &clock) noexcept {
        if (measured_ == message && bytes != 0) {
            end(bytes, clock.nanoseconds());
        }
    }
    /// The measured one has moved.
    void end(std::uint64_t bytes, std::int64_t now) noexcept {
        measured_ = nullptr;
        const double cost = static_cast<double>(now - begun_) / static_cast<double>(bytes);
        double &known = cost_[taken_];
        // A peer that was away for long says nothing about the path: one sample may at most double the cost.
        known = known == 0 ? cost : known + (std::min(cost, 2 * known) - known) / 4;
    }

  private:
    static constexpr unsigned messages_between_tries = 64;

    double cost_[2] = {0, 0}; ///< nanoseconds for a byte; 0: not tried yet
    const void *measured_ = nullptr;
    path taken_ = cooperative;
    std::int64_t begun_ = 0;
    unsigned messages_ = 0;
};

} // namespace lisle::protocol
