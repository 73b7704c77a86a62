// SPDX-License-Identifier: Apache-2.0
// Relays the output of ranks that does not go straight to the launcher's output: joins it line by line, with
// labels, and copies it to files. Driven by the supervisor's poll loop.
#pragma once

#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

#include "launch/common/descriptor.hpp"
#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"
#include "launch/streams/outlet.hpp"
#include "launch/streams/rank_sorter.hpp"
#include "launch/streams/rank_stream.hpp"

namespace lisle::launch {

/// What a process gets as its output or error output.
struct output_end {
    descriptor pipe; ///< the end to write to, if the launcher reads what the process writes
    int direct = -1; ///< else this descriptor; -1: the launcher's own
    [[nodiscard]] int number() const { return pipe ? pipe.get() : direct; }
};

class output_relay {
  public:
    /// Opens all files. Throws launch_error.
    output_relay(const output_request &request, const job_plan &plan);

    /// To be called once for each stream of a process that is about to start.
    output_end add_process(const process_plan &process, bool errors);

    /// Appends what to poll for; `handle` gets the same entries back, filled in.
    void prepare(std::vector<pollfd> &polled) const;
    void handle(const pollfd *polled, std::size_t count);

    /// Bytes that are taken but not written; what cannot be written since its reader is gone does not count.
    [[nodiscard]] std::size_t unread() const;
    /// No process is left: takes what the pipes still hold and ends all sources.
    void finish();
    /// What went wrong with a file, as a sentence; empty: nothing.
    [[nodiscard]] std::string failure() const;

  private:
    /// What one pipe brings, and whose it is: one rank's, or sorted by ranks.
    struct source {
        descriptor pipe;
        outlet *to;                        ///< where most of it goes; null: only to files
        rank_stream *stream;               ///< of its rank, or the first of its ranks
        std::optional<rank_sorter> sorter; ///< of several ranks
        void feed(std::string_view piece);
        void end();
    };
    rank_stream make_stream(int rank, const process_plan &process, bool errors);
    static void read_some(source &from);

    const output_request &request_;
    int last_rank_;
    bool relays_host_; ///< what hosts write passes through here
    outlet output_;
    outlet errors_;
    output_files files_;
    std::vector<rank_stream> streams_[2]; ///< by rank: output and error output
    std::vector<std::unique_ptr<source>> sources_;
};

} // namespace lisle::launch
