// SPDX-License-Identifier: Apache-2.0
// The launcher of a job on several hosts: reaches their keepers, gives each its part, and joins what they say
// to one job: one output, one verdict, one exit code. It stands where the supervisor stands in a job on one
// machine: behind the front, which tells it of signals.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launch/hosts/branches.hpp"
#include "launch/hosts/input_feed.hpp"
#include "launch/hosts/record_collector.hpp"
#include "launch/hosts/waits_question.hpp"
#include "launch/link/host_job.hpp"
#include "launch/streams/outlet.hpp"
#include "launch/supervisor/job_end.hpp"
#include "launch/supervisor/signals.hpp"

namespace lisle::launch {

class conductor {
  public:
    /// `notes` is the pipe from the front. @param job for all hosts
    conductor(const job_request &request, const ways_to_hosts &ways, const host_job &job, descriptor notes,
              const inherited_state &original);

    /// Runs the job to its end; returns its exit code.
    int run();

  private:
    using clock = job_end::clock;
    /// What is known of a host.
    struct host_state {
        bool ready = false;
        bool ended = false; ///< or lost
        bool gathered = false;
        bool all_lost = false;    ///< no process of it has survived
        bool consequence = false; ///< its part was stopped because a rank elsewhere has failed
        std::uint64_t output = 0; ///< bytes that it is to be told of, of each kind
        std::uint64_t errors = 0;
    };

    /// Why a host has stopped its part.
    struct verdict_of_host {
        int exit_code = 0;
        std::string why;
        bool consequence = false;
    };

    void wait_once(clock::time_point until = clock::time_point::max());
    void read_notes();
    void reap();
    void on_signal(signal_note note);
    void on_deadlines();
    void on_timeout();
    /// Asks the hosts what their ranks wait for, if there are parts of the job. @param why they are asked
    void ask_waits(const std::string &why);
    void on_message(message what, int host, std::string_view body);
    void on_ready(int host);
    void on_stopping(int host, std::string_view body);
    void say_held();
    void on_output(message what, int host, std::string_view body);
    void on_gathered(int host, std::string_view body);
    void on_ended(int host, std::string_view body);
    void on_lost(host_range hosts, const std::string &why);
    /// Gives each host its part, once all are reached.
    void give_parts_if_all_are_ready();
    void open_fence_if_all_came();
    void tell_what_is_written();
    /// Ends the job for this reason; only the first counts.
    void stop(int exit_code, const std::string &why);
    /// The same, but for telling the hosts. True if they are to be told.
    bool begin_end(int exit_code, const std::string &why);
    void write_out();
    [[nodiscard]] bool all_ended() const;
    [[nodiscard]] std::string_view name_of(int host) const;
    [[nodiscard]] int exit_code() const;

    const job_request &request_;
    const ways_to_hosts &ways_;
    const host_job &job_;
    descriptor notes_;
    descriptor ends_;
    branches branches_;
    std::vector<host_state> hosts_;
    bool begun_ = false;  ///< the hosts have their parts
    std::string notices_; ///< of those that have come to the fence
    outlet output_{STDOUT_FILENO};
    outlet errors_{STDERR_FILENO};
    bool told_of_output_ = false; ///< the hosts know that nobody reads it
    bool told_of_errors_ = false;
    input_feed input_;
    job_end end_;
    std::optional<verdict_of_host> held_; ///< a consequence, until its cause is known or some time has passed
    clock::time_point held_until_;
    std::optional<clock::time_point> timeout_at_;
    bool time_is_over_ = false; ///< and the job ends when it is known what its ranks wait for
    waits_question waits_;
    record_collector records_;
    int survivors_code_ = 0; ///< of hosts on which processes were left, the first that is not 0
};

} // namespace lisle::launch
