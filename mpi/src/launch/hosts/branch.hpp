// SPDX-License-Identifier: Apache-2.0
// The hosts that this process of the launcher reaches: some through an agent of its own, the others through
// the keepers of those. Hosts are numbered; a branch is a row of them, of which the first is reached
// directly.
#pragma once

#include <functional>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/types.h>
#include <vector>

#include "launch/link/channel.hpp"
#include "launch/link/wire.hpp"
#include "launch/supervisor/spawn.hpp"

namespace lisle::launch {

/// How hosts are reached, which keepers are told as well.
struct ways_to_hosts {
    std::vector<std::string> names; ///< of all hosts
    std::vector<std::string> agent; ///< the words in front of a host's name
    std::string lislerun;           ///< its file on each host
    std::int64_t silence = 10;      ///< seconds after which a silent host counts as lost
    bool flat = false;              ///< reaches all of them directly
};
template <class Wire> void describe(Wire &wire, ways_to_hosts &each) {
    wire(each.names, each.agent, each.lislerun, each.silence, each.flat);
}

/// Hosts first to end - 1.
struct host_range {
    int first;
    int end;
    [[nodiscard]] bool has(int host) const noexcept { return host >= first && host < end; }
    [[nodiscard]] int count() const noexcept { return end - first; }
};

/// The most hosts that one process reaches directly.
inline constexpr int most_branches = 16;

/// How a range of hosts is divided into branches.
[[nodiscard]] std::vector<host_range> branches_of(host_range all, bool flat);

struct agent_start;

class branch {
  public:
    /// Starts the agent. Throws launch_error.
    branch(const ways_to_hosts &ways, host_range hosts, const inherited_state &original);

    [[nodiscard]] host_range hosts() const noexcept { return hosts_; }
    [[nodiscard]] channel &link() noexcept { return link_; }

    using clock = channel::clock;
    struct events {
        channel::taker on_message;
        std::function<void(branch &)> on_ready;
        /// It is not reached, or not any more; said once. @param why a whole sentence
        std::function<void(branch &, const std::string &why)> on_end;
    };
    void prepare(std::vector<pollfd> &polled) const;
    static constexpr std::size_t entries = 3;
    void handle(const pollfd *polled, const events &then);
    [[nodiscard]] clock::time_point next() const;

    /// All is over there: what it says when it ends is of no interest.
    void let_go();
    /// Whether something of it is to be waited for: its channel, its agent's words or its agent.
    [[nodiscard]] bool is_done() const noexcept { return over_ && pid_ == 0; }
    /// Ends the agent, which has had its time.
    void kill() const;
    /// The agent has ended.
    [[nodiscard]] bool take_end(pid_t pid, int status);

  private:
    branch(const ways_to_hosts &ways, host_range hosts, agent_start started);
    void hear_agent();
    void end(const std::string &why, const events &then);
    [[nodiscard]] std::string why_it_ended() const;

    const ways_to_hosts &ways_;
    host_range hosts_;
    pid_t pid_;
    channel link_;
    descriptor errors_; ///< the agent's error output
    std::string said_;  ///< the end of it
    int status_ = -1;   ///< as waitpid gives it; -1: it has not ended
    bool ready_ = false;
    bool closing_ = false; ///< its channel has ended, and perhaps the agent says why
    bool over_ = false;
    clock::time_point limit_; ///< for the greeting, and then for the agent's end
};

} // namespace lisle::launch
