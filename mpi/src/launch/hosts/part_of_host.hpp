// SPDX-License-Identifier: Apache-2.0
// The part of a job that runs on a keeper's host: its supervisor, a child of the keeper, and the standard
// streams of its ranks.
#pragma once

#include <memory>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "launch/hosts/output_sender.hpp"
#include "launch/hosts/record_sender.hpp"
#include "launch/link/channel.hpp"
#include "launch/supervisor/spawn.hpp"

namespace lisle::launch {

class part_of_host {
  public:
    /// Starts it. @param job the host_job, packed. Throws launch_error.
    part_of_host(std::string_view job, int host, const inherited_state &original);

    void prepare(std::vector<pollfd> &polled) const;
    /// @param up where what is said here goes
    void handle(const pollfd *polled, channel &up);

    /// Of the launcher, to this host. @param up to it
    void on_message(message what, std::string_view body, channel &up);
    /// That the keeper has got.
    void signal(int number);
    /// A child of the keeper has ended, which may be the supervisor.
    void take_end(pid_t pid, int status);
    /// The launcher has gone.
    void let_go() { link_.close(); }
    [[nodiscard]] bool runs() const noexcept { return pid_ != 0; }

  private:
    struct ends;
    part_of_host(int host, ends made);
    void pass_input_on(const pollfd &polled, channel &up);
    void say_end_if_over(channel &up);
    [[nodiscard]] bool has_given_records(channel &up);
    void say_end(channel &up);

    int host_;
    pid_t pid_; ///< of the supervisor; 0: it has ended
    int status_ = 0;
    channel link_; ///< to the supervisor
    output_sender output_;
    output_sender errors_;
    descriptor input_;
    std::string input_waiting_;
    std::uint64_t input_taken_ = 0;
    bool input_ends_ = false;
    std::string last_word_;                  ///< of the supervisor
    std::unique_ptr<record_sender> records_; ///< null: nothing is recorded
    bool said_recorded_ = false;
    bool said_end_ = false;
};

} // namespace lisle::launch
