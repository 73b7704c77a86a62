// SPDX-License-Identifier: Apache-2.0
// Where a rank that is a process of its own met its end: the address of a fault is noted in the job's
// table, so that the launcher can name it. Nothing else changes: the signal still ends the process, and
// a program's own handlers, or a sanitizer's, are left alone. (The host does this for thread ranks.)
#pragma once

#include "world/bootstrap.hpp"

namespace lisle {

/// From now on faults of this process are noted as this rank's, if a launcher watches the job, the process
/// has no other rank and no handlers for them. @param start lives as long as the process
void note_faults_of(bootstrap &start, int rank) noexcept;

} // namespace lisle
