// SPDX-License-Identifier: Apache-2.0
// lislerun --explore: runs a program in all the ways that MPI allows, until one fails, none is left, or the
// time is over. See mpi/docs/design/exploration.md.
#pragma once

#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// Prints what it finds on the output. @return 0: no run has failed; 1: one has
int explore(const job_request &request, const job_plan &plan);

} // namespace lisle::launch
