// SPDX-License-Identifier: Apache-2.0
// Which process of a job on several hosts runs where: the hosts are filled in order; if they have too little
// room each takes a multiple of its number.
#pragma once

#include <string>
#include <vector>

#include "launch/request/request.hpp"

namespace lisle::launch {

struct host_placement {
    std::vector<std::string> host_of_process; ///< in the order of the job's processes
    int slots;                                ///< of all hosts
};

/// Gives each program the number of processes that the hosts ask for, where it does not say it itself, and
/// the processes their hosts. @pre a program names hosts @param default_kind the value of LISLE_RANKS, or
/// null Throws launch_error (exit_usage).
[[nodiscard]] host_placement place_on_hosts(job_request &request, const char *default_kind);

} // namespace lisle::launch
