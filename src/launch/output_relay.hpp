// SPDX-License-Identifier: Apache-2.0
// Joins the output of processes, line by line and labelled, into the launcher's own. Used with --label
// only; otherwise processes write where the launcher would. Driven by the keeper's poll loop.
#pragma once

#include <memory>
#include <poll.h>
#include <string>
#include <vector>

#include "launch/descriptor.hpp"
#include "launch/line_splicer.hpp"
#include "launch/outlet.hpp"

namespace lisle::launch {

class output_relay {
  public:
    output_relay();

    /// A new source of lines with this prefix; returns the end that the process writes to.
    descriptor add_source(bool errors, const std::string &prefix);

    /// Appends what to poll for; `handle` gets the same entries back, filled in.
    void prepare(std::vector<pollfd> &polled) const;
    void handle(const pollfd *polled, std::size_t count);

    /// Bytes that are taken but not written; what cannot be written since its reader is gone does not count.
    [[nodiscard]] std::size_t unread() const;
    /// No process is left: takes what the pipes still hold and ends all sources.
    void finish();

  private:
    struct source {
        descriptor pipe;
        outlet *to;
        line_splicer lines;
    };
    void read_some(source &from);
    static void end(source &from);

    outlet output_;
    outlet errors_;
    std::vector<std::unique_ptr<source>> sources_;
};

} // namespace lisle::launch
