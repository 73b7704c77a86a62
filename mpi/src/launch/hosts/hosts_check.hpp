// SPDX-License-Identifier: Apache-2.0
// lislerun --check-hosts: reaches all hosts, lets each try its paths to all others, one host after the other,
// and prints what they have found.
#pragma once

#include "launch/request/request.hpp"

namespace lisle::launch {

/// @return the launcher's exit code: 0 if a job could run on all hosts
int check_hosts(const job_request &request);

} // namespace lisle::launch
