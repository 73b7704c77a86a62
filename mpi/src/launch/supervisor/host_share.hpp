// SPDX-License-Identifier: Apache-2.0
// The supervisor of one of several hosts: which processes are its own, and how it speaks with the launcher.
#pragma once

#include <functional>
#include <poll.h>
#include <string>
#include <vector>

#include "launch/link/channel.hpp"
#include "launch/link/told_wait.hpp"
#include "launch/plan/plan.hpp"
#include "launch/supervisor/fence_relay.hpp"
#include "launch/supervisor/signals.hpp"

namespace lisle::launch {

/// What a keeper gives the supervisor of its host.
struct share_of_host {
    descriptor link; ///< a socket to the keeper
    int host;        ///< this one's number
    job_id id;       ///< of the job
};

class host_share {
  public:
    host_share(share_of_host mine, job_table &table, const job_plan &plan);

    /// Tells the launcher that this host's part of the job is being stopped.
    /// @param consequence of a failure elsewhere, perhaps of another host
    void say_stopping(int exit_code, const std::string &why, bool consequence);
    /// Tells the launcher what the ranks of this host wait for.
    void say_waits(const std::vector<known_wait> &waits);
    /// The last word. @param all_lost no process of this host is left, of a job that goes on
    void say_ended(int exit_code, bool all_lost);

    /// What the launcher says, and what is to be done then.
    struct orders {
        std::function<void(signal_note)> on_signal;
        std::function<void()> on_stop;
        std::function<void()> on_question; ///< what the ranks wait for
        std::function<void()> on_news;     ///< a process may have ended the job
        std::function<void()> on_silence;  ///< the keeper has gone
    };
    /// Appends what to poll for: `entries` of them.
    void prepare(std::vector<pollfd> &polled) const;
    static constexpr std::size_t entries = 3;
    void handle(const pollfd *polled, const orders &then);

  private:
    int host_;
    channel link_;
    fence_relay fence_;
};

/// The processes of a host.
[[nodiscard]] std::vector<int> processes_on(const job_plan &plan, int host);

} // namespace lisle::launch
