// SPDX-License-Identifier: Apache-2.0
// The process of the launcher that starts the job, watches it, and ends it. It is the parent of all ranks
// and, as a subreaper, of everything they leave behind; the front (front.hpp) is its parent and tells it
// of signals. If the front disappears, even by SIGKILL, the supervisor ends the whole job.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"
#include "launch/streams/job_streams.hpp"
#include "launch/supervisor/children.hpp"
#include "launch/supervisor/host_share.hpp"
#include "launch/supervisor/job_end.hpp"
#include "launch/supervisor/memory_watch.hpp"
#include "launch/supervisor/signals.hpp"
#include "launch/supervisor/verdict.hpp"
#include "launch/supervisor/wait_watch.hpp"
#include "world/job_table.hpp"

namespace lisle::launch {

/// What the supervisor's process calls itself; the kernel shows 15 letters.
inline constexpr const char *supervisor_name = "lisle-supervise";

class supervisor {
  public:
    /// `notes` is the pipe from the front. Throws launch_error if the job cannot be set up.
    supervisor(const job_request &request, const job_plan &plan, descriptor notes,
               const inherited_state &original);
    /// Of one host of several, for its part of the job.
    supervisor(const job_request &request, const job_plan &plan, share_of_host mine,
               const inherited_state &original);

    /// Runs the job to its end; returns its exit code.
    int run();

  private:
    using clock = job_end::clock;
    using deadline = std::optional<clock::time_point>;

    supervisor(const job_request &request, const job_plan &plan, descriptor notes,
               const std::optional<part_of_job> &part, int host, const inherited_state &original);
    void start_all();
    /// Waits for whatever comes first: a signal, output, the end of a process, a deadline.
    void wait_once(deadline until = {});
    [[nodiscard]] int milliseconds_left(deadline until) const;
    void read_notes();
    void on_signal(signal_note note);
    void on_end(std::size_t index);
    void act_on(const verdict &found);
    /// A process has failed, and the job goes on without it.
    void note_loss(const verdict &found);
    void warn_of_absence(std::size_t index);
    void report_crash();
    void look_for_failed_threads();
    void on_stop_elsewhere();
    void look_for_abort();
    [[noreturn]] static void on_silence();
    void on_deadlines();
    void on_timeout();
    /// Whether others than the processes that are left here are stopped with the job.
    [[nodiscard]] bool others_run() const { return share_ || children_.alive() > 0; }
    /// Ends the job for this reason; only the first counts.
    /// @param consequence as of a verdict
    void stop(int exit_code, const std::string &why, int signal, std::chrono::milliseconds grace,
              bool consequence = false);
    void clean_up();
    /// Waits until the labelled output has been read; only for a while if the job was told to end.
    void write_out();

    const job_request &request_;
    const job_plan &plan_;
    descriptor notes_;
    job_table table_;
    wait_watch waits_;
    memory_watch memory_;
    children children_;
    job_streams streams_;
    std::optional<host_share> share_; ///< of a job on several hosts
    job_end end_;
    deadline timeout_at_;
    bool has_hosts_;       ///< of thread or fiber ranks
    std::size_t lost_ = 0; ///< processes that have failed in a job that goes on
    bool warned_of_absence_ = false;
    bool crash_reported_ = false;
};

} // namespace lisle::launch
