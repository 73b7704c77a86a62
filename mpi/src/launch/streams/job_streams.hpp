// SPDX-License-Identifier: Apache-2.0
// The standard input, output and error output of all processes of a job.
#pragma once

#include <poll.h>
#include <string>
#include <vector>

#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"
#include "launch/streams/input_relay.hpp"
#include "launch/streams/output_relay.hpp"

namespace lisle::launch {

/// What a process gets as its standard descriptors.
struct process_streams {
    descriptor input; ///< empty: the launcher's own
    output_end output;
    output_end errors;
};

class job_streams {
  public:
    /// Opens all files. Throws launch_error.
    job_streams(const job_request &request, const job_plan &plan);

    /// To be called once for each process, when it is about to start.
    process_streams add_process(const process_plan &process);
    /// All processes are started: keeps no pipe of others alive.
    void let_go_of_unused() const;

    /// Appends what to poll for; `handle` gets the same entries back, filled in.
    void prepare(std::vector<pollfd> &polled) const;
    void handle(const pollfd *polled, std::size_t count);

    /// Bytes of output that are taken but not written; what has lost its reader does not count.
    [[nodiscard]] std::size_t unread() const { return output_.unread(); }
    /// No process is left: takes what the pipes still hold.
    void finish() { output_.finish(); }
    /// What went wrong with a file, as a sentence; empty: nothing.
    [[nodiscard]] std::string failure() const { return output_.failure(); }

  private:
    descriptor input_of(const process_plan &process);

    const job_request &request_;
    const job_plan &plan_;
    input_relay input_;
    output_relay output_;
};

} // namespace lisle::launch
