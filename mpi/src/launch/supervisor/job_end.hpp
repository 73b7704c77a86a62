// SPDX-License-Identifier: Apache-2.0
// Whether a job is coming to its end, with which exit code, and when what is left of it is killed.
#pragma once

#include <chrono>
#include <optional>

namespace lisle::launch {

class job_end {
  public:
    using clock = std::chrono::steady_clock;

    /// Whether the job has been stopped.
    [[nodiscard]] bool begun() const noexcept { return begun_; }
    /// Whether a signal or the time limit, not only a failure, has ended it.
    [[nodiscard]] bool told() const noexcept { return told_; }
    [[nodiscard]] int exit_code() const noexcept { return exit_code_; }
    /// When to kill what is left; nothing as long as the job is not stopped.
    [[nodiscard]] std::optional<clock::time_point> kill_at() const noexcept { return kill_at_; }

    void note_told() noexcept { told_ = true; }
    /// The exit code is this one, unless there is one already that is not 0.
    void offer_exit_code(int code) noexcept { exit_code_ = exit_code_ != 0 ? exit_code_ : code; }
    /// The job is stopped: its processes have so long to end by themselves. @pre not begun
    void begin(int exit_code, std::chrono::milliseconds grace) {
        begun_ = true;
        exit_code_ = exit_code;
        kill_at_ = clock::now() + grace;
    }
    /// Kills from now on.
    void hurry() { kill_at_ = clock::now(); }
    /// Whether it is time to kill what is left; then again a second later, until all are gone.
    [[nodiscard]] bool kills_now(clock::time_point now) {
        const bool due = kill_at_ && now >= *kill_at_;
        if (due) {
            kill_at_ = now + std::chrono::seconds{1};
        }
        return due;
    }

  private:
    bool begun_ = false;
    bool told_ = false;
    int exit_code_ = 0;
    std::optional<clock::time_point> kill_at_;
};

} // namespace lisle::launch
