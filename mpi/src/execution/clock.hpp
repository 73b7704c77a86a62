// SPDX-License-Identifier: Apache-2.0
// The clock of a job: the machine's, or one that a fabric simulates. Waiting, the choice between protocols
// and MPI_Wtime use it.
#pragma once

#include <cstdint>
#include <ctime>

namespace lisle {

/// Thread-safe.
class job_clock {
  public:
    static constexpr std::int64_t never = INT64_MAX;

    /// Since some moment in the past; never goes back.
    [[nodiscard]] virtual std::int64_t nanoseconds() noexcept = 0;
    /// The smallest difference that nanoseconds() shows, in seconds.
    [[nodiscard]] virtual double resolution() const noexcept { return 1e-9; }
    /// True if time passes only when all ranks wait: then polling is of no use, and no timeout is measured by
    /// the machine's clock.
    [[nodiscard]] virtual bool simulated() const noexcept { return false; }
    /// True if messages and receives do not meet before all ranks wait, and what lives by this clock brings
    /// them together then (exploration/).
    [[nodiscard]] virtual bool leaves_open() const noexcept { return false; }
    /// Called by a worker all of whose fibers wait, before it sleeps. A simulated clock moves on to the next
    /// event, but not past `until`, in nanoseconds. True: some fiber may be able to go on, look again.
    [[nodiscard]] virtual bool all_blocked([[maybe_unused]] std::int64_t until) noexcept { return false; }
    /// Called for a rank that has polled without success and will poll again. A simulated clock advances if
    /// every runnable rank does so.
    virtual void found_nothing([[maybe_unused]] int rank) noexcept {}
    /// Charges a rank so many cycles of a simulated machine for its program's computation. Does nothing with
    /// a real clock.
    virtual void compute([[maybe_unused]] int rank, [[maybe_unused]] std::int64_t cycles) noexcept {}
    /// Charges what this machine has computed for the rank's program since its last poll, where that counts.
    /// @return the cycles
    virtual std::int64_t charge_program([[maybe_unused]] int rank) noexcept { return 0; }
    /// Charges the cost of reading the clock; otherwise a program that waits for a point in time reads the
    /// same time for ever.
    virtual void compute_reading([[maybe_unused]] int rank) noexcept {}
    /// A simulated clock may count what this machine computes between two polls as the program's computation.
    /// From here to the end of the next poll the calling thread computes for the library.
    virtual void program_pauses() noexcept {}
    /// From here on the calling thread computes for the program again.
    virtual void program_goes_on() noexcept {}
    /// True until the rank has spent all of them.
    [[nodiscard]] virtual bool computing([[maybe_unused]] int rank) noexcept { return false; }

  protected:
    ~job_clock() = default;
};

/// The machine's clock, which no adjustment of the date moves.
class real_clock final : public job_clock {
  public:
    [[nodiscard]] std::int64_t nanoseconds() noexcept override { return now(); }
    // Not through the C++ library: a program's fibers may read a simulated clock there.
    [[nodiscard]] static std::int64_t now() noexcept {
        timespec time{};
        clock_gettime(CLOCK_MONOTONIC, &time);
        return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    }
    [[nodiscard]] static real_clock &instance() noexcept {
        static constinit real_clock only;
        return only;
    }
};

} // namespace lisle
