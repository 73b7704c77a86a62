// SPDX-License-Identifier: Apache-2.0
// What the ranks of several hosts have recorded (--report), brought together on this machine. Each host has a
// clock of its own: it is compared with this machine's before its ranks begin and after they have ended, and
// what they have recorded is told by this machine's.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/hosts/clock_comparison.hpp"
#include "launch/link/channel.hpp"

namespace lisle::launch {

class record_collector {
  public:
    using sender = std::function<void(message what, int host, std::string_view body)>;

    /// @param folder for the records; empty: there are none
    record_collector(std::string folder, std::size_t hosts, sender to_host)
        : folder_{std::move(folder)}, to_host_{std::move(to_host)}, hosts_(hosts) {}

    [[nodiscard]] bool wanted() const noexcept { return !folder_.empty(); }
    /// A host is reached.
    void on_ready(int host) const { ask(host); }
    /// What a host answers about its clock.
    void on_time(int host, std::string_view body);
    /// Whether all hosts' clocks are known.
    [[nodiscard]] bool knows_clocks() const;
    /// The ranks of a host have ended.
    void on_recorded(int host);
    /// A piece of what a rank has recorded.
    void on_record(int host, std::string_view body);

  private:
    struct host_clock {
        clock_comparison before, after;
        bool is_known = false;
        bool has_ended = false;
    };
    void ask(int host) const;
    void tell_by_own_clock(const host_clock &theirs, std::string &beginning) const;

    const std::string folder_;
    const sender to_host_;
    std::vector<host_clock> hosts_;
};

} // namespace lisle::launch
