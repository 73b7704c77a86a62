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
        return run_.choose();
    }

  private:
    static constexpr std::int64_t reading = 1'000; ///< what it costs
    run run_;
    std::int64_t now_ = 1'000'000'000;
};

} // namespace lisle::exploration
