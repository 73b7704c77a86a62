// SPDX-License-Identifier: Apache-2.0
// What --check-hosts prints: each path from each host to each other one, and what to do about those that are
// blocked or slow.
#pragma once

#include <string>
#include <vector>

#include "launch/link/host_check.hpp"

namespace lisle::launch {

struct check_result {
    std::vector<std::string> names;       ///< of hosts
    std::vector<host_addresses> hosts;    ///< the same; without addresses where a host is not reached
    std::vector<tried_path> paths;        ///< in the order in which jobs would try them
    std::vector<std::string> not_reached; ///< sentences
};

/// True if a job could run on all of these hosts.
[[nodiscard]] bool can_run(const check_result &found);
[[nodiscard]] std::string table_of(const check_result &found);

} // namespace lisle::launch
