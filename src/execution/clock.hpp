// SPDX-License-Identifier: Apache-2.0
// The time that a job lives by: the machine's, or one that a fabric models. Waiting, the choice between ways
// to send and MPI_Wtime go by it.
#pragma once

#include <chrono>
#include <cstdint>

namespace lisle {

/// Thread-safe.
class job_clock {
  public:
    /// Since some moment in the past; never goes back.
    [[nodiscard]] virtual std::int64_t nanoseconds() noexcept = 0;
    /// The smallest difference that nanoseconds() shows, in seconds.
    [[nodiscard]] virtual double resolution() const noexcept { return 1e-9; }
    /// True if time passes only when all ranks wait: then looking again and again is of no use, and nobody
    /// sleeps by the machine's time.
    [[nodiscard]] virtual bool simulated() const noexcept { return false; }
    /// Called by a worker all of whose fibers wait, before it sleeps. A simulated clock moves on to the next
    /// event. True: some fiber may be able to go on, look again.
    [[nodiscard]] virtual bool all_blocked() noexcept { return false; }
    /// Has a rank spend so many cycles of a simulated machine on what its program computes. On a real one
    /// computing takes what it takes, and this does nothing.
    virtual void compute([[maybe_unused]] int rank, [[maybe_unused]] std::int64_t cycles) noexcept {}
    /// True until the rank has spent all of them.
    [[nodiscard]] virtual bool computing([[maybe_unused]] int rank) noexcept { return false; }

  protected:
    ~job_clock() = default;
};

/// The machine's clock, which no adjustment of the date moves.
class real_clock final : public job_clock {
  public:
    [[nodiscard]] std::int64_t nanoseconds() noexcept override { return now(); }
    [[nodiscard]] static std::int64_t now() noexcept {
        return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
    }
    [[nodiscard]] static real_clock &instance() noexcept {
        static constinit real_clock only;
        return only;
    }
};

} // namespace lisle
