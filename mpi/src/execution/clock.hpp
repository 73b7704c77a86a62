// SPDX-License-Identifier: Apache-2.0
// The time that a job lives by: the machine's, or one that a fabric models. Waiting, the choice between ways
// to send and MPI_Wtime go by it.
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
    /// True if time passes only when all ranks wait: then looking again and again is of no use, and nobody
    /// sleeps by the machine's time.
    [[nodiscard]] virtual bool simulated() const noexcept { return false; }
    /// Called by a worker all of whose fibers wait, before it sleeps. A simulated clock moves on to the next
    /// event, but not past `until`, in nanoseconds. True: some fiber may be able to go on, look again.
    [[nodiscard]] virtual bool all_blocked([[maybe_unused]] std::int64_t until) noexcept { return false; }
    /// Called for a rank that has looked for something in vain and is going to look again. A simulated clock
    /// moves on if all that could run do so.
    virtual void found_nothing([[maybe_unused]] int rank) noexcept {}
    /// Has a rank spend so many cycles of a simulated machine on what its program computes. On a real one
    /// computing takes what it takes, and this does nothing.
    virtual void compute([[maybe_unused]] int rank, [[maybe_unused]] std::int64_t cycles) noexcept {}
    /// Has it spend what reading the clock takes: else a program that waits for a time reads the same time
    /// again and again.
    virtual void compute_reading([[maybe_unused]] int rank) noexcept {}
    /// A simulated clock may take what this machine computes between two looks for news as the program's. Not
    /// what the calling thread computes from here to the end of its next look.
    virtual void program_pauses() noexcept {}
    /// What the calling thread computes from here on is a program's again.
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
