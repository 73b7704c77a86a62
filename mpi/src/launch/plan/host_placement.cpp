// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/host_placement.hpp"

#include <algorithm>
#include <numeric>

#include "launch/common/launch_error.hpp"
#include "launch/plan/plan.hpp"

namespace lisle::launch {

namespace {

/// Where processes go one after the other: each host is filled before the next.
class host_row {
  public:
    /// @param processes how many there will be: if the hosts have less room, each takes a multiple of its own
    host_row(std::vector<host_slots> hosts, int processes, int room) : hosts_{std::move(hosts)} {
        const int rounds = std::max(1, (processes + room - 1) / room);
        for (host_slots &host : hosts_) {
            host.slots *= rounds;
        }
    }
    [[nodiscard]] const std::string &next() {
        while (used_ == hosts_[at_].slots) {
            used_ = 0;
            ++at_;
        }
        ++used_;
        return hosts_[at_].name;
    }

  private:
    std::vector<host_slots> hosts_;
    std::size_t at_ = 0;
    int used_ = 0;
};

/// Numbers of processes that the hosts give a program which does not say it itself. True: one for each host,
/// with as many ranks as the host has slots.
bool count_by_hosts(program_request &program, rank_kind kind, bool recovery) {
    const bool hosted = program.kind.value_or(kind) != rank_kind::process;
    if (program.hosts.empty() || program.processes) {
        return false;
    }
    if (program.ranks_per_process && !program.ranks) {
        program.processes = program.slots();
    } else if (hosted && !recovery && !program.ranks_per_process) {
        const int ranks = ranks_wanted(program).value_or(1);
        program.ranks = ranks;
        program.processes = std::min(ranks, static_cast<int>(program.hosts.size()));
        return true;
    }
    return false;
}

} // namespace

host_placement place_on_hosts(job_request &request, const char *default_kind) {
    // The hosts that one program names are those of all that name none.
    const auto naming =
        std::ranges::find_if(request.programs, [](const auto &each) { return !each.hosts.empty(); });
    const std::vector<host_slots> hosts = naming->hosts;
    std::vector<host_slots> room_for_processes = hosts;
    const int slots = *naming->slots();
    int room = slots;
    for (program_request &program : request.programs) {
        if (!program.hosts.empty() && program.hosts != hosts) {
            give_up(exit_usage,
                    "the programs of a job on several hosts share them: name the same hosts for all");
        }
        if (count_by_hosts(program, kind_by_default(default_kind), request.control.recovery)) {
            for (host_slots &host : room_for_processes) {
                host.slots = 1;
            }
            room = static_cast<int>(hosts.size());
        }
    }
    const auto shapes = shapes_of(request, default_kind);
    const auto add = [](std::size_t sum, const program_shape &shape) {
        return sum + shape.ranks_of_process.size();
    };
    const std::size_t processes = std::accumulate(shapes.begin(), shapes.end(), std::size_t{0}, add);
    host_row row{std::move(room_for_processes), static_cast<int>(processes), room};
    host_placement placed{{}, slots};
    for (std::size_t i = 0; i != processes; ++i) {
        placed.host_of_process.push_back(row.next());
    }
    return placed;
}

} // namespace lisle::launch
