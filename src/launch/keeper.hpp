// SPDX-License-Identifier: Apache-2.0
// The process of the launcher that starts the job, watches it, and ends it. It is the parent of all ranks
// and, as a subreaper, of everything they leave behind; the front (front.hpp) is its parent and tells it
// of signals. If the front disappears, even by SIGKILL, the keeper ends the whole job.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launch/cpu_set.hpp"
#include "launch/input_relay.hpp"
#include "launch/output/output_relay.hpp"
#include "launch/plan.hpp"
#include "launch/request.hpp"
#include "launch/signals.hpp"
#include "launch/verdict.hpp"
#include "library/waits_of_job.hpp"
#include "world/bootstrap.hpp"
#include "world/job_table.hpp"

namespace lisle::launch {

/// What the keeper's process calls itself.
inline constexpr const char *keeper_name = "lisle-keeper";

class keeper {
  public:
    /// `notes` is the pipe from the front. Throws launch_error if the job cannot be set up.
    keeper(const job_request &request, const job_plan &plan, descriptor notes,
           const inherited_state &original);

    /// Runs the job to its end; returns its exit code.
    int run();

  private:
    using clock = std::chrono::steady_clock;
    struct member {
        pid_t pid = 0;
        bool alive = false;
        int status = 0; ///< as waitpid gives it, once it is not alive
    };

    void start_all();
    void start(std::size_t index);
    /// What the process reads: its descriptor, or -1 for the launcher's own.
    int input_of(const process_plan &process, descriptor &holder);
    void wait_once();
    void read_notes();
    void on_signal(signal_note note);
    void reap();
    void on_end(std::size_t index, int status);
    void act_on(const verdict &found);
    /// A process has failed, and the job goes on without it.
    void note_loss(const verdict &found);
    void warn_of_absence(std::size_t index);
    void look_for_failed_threads();
    [[nodiscard]] process_end description_of(std::size_t index, int status) const;
    void on_deadlines();
    /// Ends the job for this reason; only the first counts.
    void stop(int exit_code, const std::string &why, int signal, std::chrono::milliseconds grace);
    void deliver(int signal);
    /// Ends a job some of whose ranks can never go on.
    void look_for_stuck_ranks();
    /// Prints what the ranks wait for. @param why the first line
    void say_status(const std::string &why);
    void clean_up();
    void say_exit_codes() const;
    /// Waits until the labelled output has been read; only for a while if the job was told to end.
    void write_out();
    [[nodiscard]] int next_deadline() const;

    const job_request &request_;
    const job_plan &plan_;
    descriptor notes_;
    const inherited_state &original_;
    job_table segment_;
    waits_of_job waits_;
    descriptor handed_down_; // the table under a high number
    descriptor child_ends_;
    output_relay relay_;
    input_relay input_;
    std::vector<cpu_set> places_; // empty without --bind-to
    std::vector<member> members_;
    std::size_t alive_ = 0;
    std::optional<int> exit_code_;
    bool stopping_ = false;
    bool told_to_end_ = false; ///< by a signal or the time limit, not by a failure
    bool warned_of_absence_ = false;
    std::size_t lost_ = 0; ///< processes that have failed in a job that goes on
    bool has_threads_ = false;
    std::optional<clock::time_point> timeout_at_;
    clock::time_point look_at_;
    std::optional<clock::time_point> kill_at_;
    std::optional<clock::time_point> reader_until_;
};

/// Prints one sentence on the launcher's error output, in one piece.
void say(const std::string &text);

} // namespace lisle::launch
