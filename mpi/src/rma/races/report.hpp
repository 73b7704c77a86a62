// SPDX-License-Identifier: Apache-2.0
// Says which accesses race.
#pragma once

#include <span>
#include <vector>

#include "communicator/agreement.hpp"
#include "rma/races/finding.hpp"

namespace lisle::rma {

class window_members;

/// Rank 0 of the window names the races on standard error. Collective over `ranks`, which are all of the
/// window's and have found the same.
/// @param sites where the calling rank has accessed
void report_races(const window_members &members, const party &ranks, std::span<const race> found,
                  const std::vector<access_site> &sites);

} // namespace lisle::rma
