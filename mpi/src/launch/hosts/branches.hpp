// SPDX-License-Identifier: Apache-2.0
// All branches of this process of the launcher.
#pragma once

#include <memory>
#include <vector>

#include "launch/hosts/branch.hpp"

namespace lisle::launch {

class branches {
  public:
    using clock = channel::clock;
    explicit branches(branch::events then) : then_{std::move(then)} {}

    /// Starts the agents to a row of hosts, all at once. Throws launch_error.
    void start(const ways_to_hosts &ways, host_range all, const inherited_state &original);

    /// To a host, or to every host; not to those that are lost.
    void send(message what, int host, std::string_view body = {});

    void prepare(std::vector<pollfd> &polled) const;
    void handle(const pollfd *polled, std::size_t count);
    [[nodiscard]] clock::time_point next() const;

    /// A child has ended: true if it was an agent.
    bool take_end(pid_t pid, int status);
    void let_go();
    void kill() const;
    [[nodiscard]] bool done() const;

  private:
    branch::events then_;
    std::vector<std::unique_ptr<branch>> all_;
};

} // namespace lisle::launch
