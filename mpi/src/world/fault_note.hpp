// SPDX-License-Identifier: Apache-2.0
// Records the fault of a rank that is a process, and its stack, in the job's table, so that the launcher can
// tell of it. Nothing else changes: the signal ends the process, and handlers of the program or of a
// sanitizer stay. (The host does this for thread ranks.)
#pragma once

#include "world/bootstrap.hpp"

namespace lisle {

/// From now on faults of this process are noted as this rank's, if a launcher watches the job, the process
/// has no other rank and no handlers for them. @param start lives as long as the process
void note_faults_of(bootstrap &start, int rank) noexcept;

} // namespace lisle
