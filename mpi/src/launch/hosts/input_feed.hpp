// SPDX-License-Identifier: Apache-2.0
// The launcher's standard input on its way to the hosts whose ranks read it. The slowest sets the pace: a
// piece follows when all have passed on the one before.
#pragma once

#include <poll.h>
#include <vector>

#include "launch/hosts/branches.hpp"

namespace lisle::launch {

class input_feed {
  public:
    /// @param readers the hosts
    explicit input_feed(std::vector<int> readers);

    /// Appends what to poll for: one entry.
    void prepare(std::vector<pollfd> &polled) const;
    /// The same entry, filled in.
    void handle(const pollfd &polled, branches &to);
    /// A host has passed the last piece on, or has no reader any more.
    void on_taken(int host, bool still_reads);
    void on_lost(int host) { on_taken(host, false); }

  private:
    [[nodiscard]] bool may_read() const;

    std::vector<int> readers_;
    std::vector<int> awaited_; ///< those of them that have not passed on the last piece
    bool ended_ = false;
};

} // namespace lisle::launch
