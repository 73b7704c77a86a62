// SPDX-License-Identifier: Apache-2.0
// The clock of a job whose choices are left open. Time passes only when no rank can go on otherwise, and when
// a program reads it, so each run that chooses alike reads the same times.
#pragma once

#include <algorithm>
#include <string>

#include "execution/clock.hpp"
#include "exploration/run.hpp"

namespace lisle::exploration {

class explored_clock final : public job_clock {
  public:
    explored_clock(job &own, const choice::orders &given, const std::string &folder)
        : run_{own, given, folder} {
        run::begin(run_);
    }

    [[nodiscard]] std::int64_t nanoseconds() noexcept override { return now_; }
    [[nodiscard]] bool simulated() const noexcept override { return true; }
    [[nodiscard]] bool leaves_open() const noexcept override { return true; }
    void found_nothing(int rank) noexcept override { run_.let_others_go_on(rank); }
    void compute_reading(int) noexcept override { now_ += reading; }
    // What is sure comes before what sleeps, and that before what is chosen: to choose is to wait for the
    // ranks that could still send something.
    [[nodiscard]] bool all_blocked(std::int64_t until) noexcept override {
        if (run_.join_what_is_sure()) {
            return true;
        }
        if (until != never) {
            now_ = std::max(now_, until);
            return true;
        }
        const bool goes_on = run_.choose();
        now_ += step * std::max<std::int64_t>(std::int64_t{run_.polls_in_vain()} - patience, 0);
        return goes_on;
    }

  private:
    static constexpr std::int64_t reading = 1'000; ///< what it costs
    // Programs poll for a time to come, too: the longer nothing else happens, the faster time passes, so that
    // seconds need hundreds of polls, and hours fewer than are taken for polling for ever.
    static constexpr std::int64_t patience = 100, step = 1'000'000;
    run run_;
    std::int64_t now_ = 1'000'000'000;
};

} // namespace lisle::exploration
